// A text of several lines as one, for messages of parsers and servers. Pure, and linear whatever blanks there are.

export function oneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}
