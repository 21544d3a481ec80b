// Characters that make a command look like another one: a person who approves it would not see what runs.

const disguises: readonly (readonly [RegExp, string])[] = [
  [/[\x00-\x08\x0b-\x1f\x7f-\x9f]/, "a control character"],
  [/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u3164\uffa0\u115f\u1160]/, "a blank that is none to the shell"],
  [/[\u2028\u2029\u0085]/, "a line separator that is none to the shell"],
  [/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/, "a character that changes the direction of writing"],
  [/\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/u, "an invisible character"],
  [/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/, "half a character"],
];

/** What is in `text` that cannot be seen for what it is, or null. */
export function disguise(text: string): string | null {
  // Part of a picture that is seen as one.
  const seen = text.replace(/\p{Extended_Pictographic}\ufe0f(?:\u200d(?=\p{Extended_Pictographic}))?/gu, "");
  return disguises.find(([pattern]) => pattern.test(seen))?.[1] ?? null;
}
