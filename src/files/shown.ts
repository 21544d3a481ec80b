// Lines of files that a command has just shown, for commands that do nothing but show one file. Pure.
// Invariant: it says only "this line was shown with this text", which is compared with the file before it counts for
// anything (seen.ts); so a wrong guess here allows nothing. Anything with shell syntax beyond words is not guessed at.

import type { ShownLine } from "./seen.js";

export interface ShownFile {
  /** As in the command. */
  path: string;
  lines: ShownLine[];
}

const word = /^(?:[\w@%+=:,./-]+|'[^'\n]*'|"[^"$`\\\n]*")$/;

/** The file that `command` shows and the lines of it in `output`, the whole of what it printed; null for any other. */
export function shownBy(command: string, output: string): ShownFile | null {
  const words = command.trim().match(/'[^'\n]*'|"[^"\n]*"|[^\s'"]+/g) ?? [];
  if (words.join(" ") !== command.trim().replace(/[ \t]+/g, " ") || !words.every((each) => word.test(each)))
    return null;
  const [program = "", ...args] = words.map((each) => (/^['"]/.test(each) ? each.slice(1, -1) : each));
  const path = args.pop();
  if (path === undefined || path.startsWith("-")) return null;
  const lines = output.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const first = firstLine(program, args);
  if (first !== null) return { path, lines: lines.map((text, i) => [first + i, text.replace(/\r$/, "")]) };
  return isNumbered(program, args) ? { path, lines: lines.flatMap((line) => numberedLine(line)) } : null;
}

/** The number of the first line shown, when what follows is shown without gaps and without ornament. */
function firstLine(program: string, args: readonly string[]): number | null {
  const given = args.join(" ");
  if (program === "cat") return given === "" ? 1 : null;
  if (program === "head") return /^(?:|-n ?\d+|-\d+)$/.test(given) ? 1 : null;
  if (program !== "sed") return null;
  const range = /^-n (\d+)(?:,(?:\d+|\$))?p$/.exec(given);
  return range ? Number(range[1]) : null;
}

function isNumbered(program: string, args: readonly string[]): boolean {
  const given = args.join(" ");
  if (program === "cat") return given === "-n";
  return program === "grep" && args.length === 2 && /^-[a-zA-Z]*n[a-zA-Z]*$/.test(args[0] ?? "") && args[0] !== "-rn";
}

/** `12:text`, or `12<tab>text` behind blanks. */
function numberedLine(line: string): ShownLine[] {
  const found = /^\s*(\d+)[:\t](.*?)\r?$/.exec(line);
  return found ? [[Number(found[1]), found[2] ?? ""]] : [];
}
