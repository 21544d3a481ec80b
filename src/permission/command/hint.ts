// How a command could be written so that it need not be asked about, for the model and for denials (SPEC 1.13).
// One sentence about the strictest part, or nothing: a wrong hint is worse than none.

import type { CommandAnalysis } from "../../core/command.js";
import { strictest } from "./finding.js";

const hints: readonly (readonly [RegExp, string])[] = [
  [/^syntax:(disguised|disagree)/, "Type the command again with plain letters and blanks."],
  [/^syntax:long/, "Put the text into a file first."],
  [/^syntax:function/, "Write the commands out one after the other, without a function."],
  [/^syntax:(loop|endless|branch)/, "Make one call for each command instead of a loop or condition."],
  [/^syntax:(subshell|braces|background|negation)/, "Write the commands one after the other, joined by && or ;."],
  [/^syntax/, "Write it as plain commands joined by &&, ||, ; or |."],
  [
    /^(expansion|assignment|program:unknown)/,
    "Write the words out instead of having the shell work them out; run the inner command on its own first.",
  ],
  [/^redirect:network/, "Leave the network to a program that says so."],
  [/^redirect/, "Leave the redirection out: the output is returned to you, and files are written with the file tools."],
  [/^path:secret-below/, "Name the files or directories to search, or use the search tools."],
  [/^path:(outside|unknown)/, "Use paths inside the project."],
  [/^path:protected/, "Ask the user to make this change."],
  [/^(wrapper|shell):/, "Call the program directly."],
  [/^program:(sed|awk|gawk)/, "To look at lines use `sed -n 1,20p file`; to change a file use the file tools."],
  [/^program:find/, "Let find only print, and act on the result in a call of its own."],
  [/^git:config/, "Run git through the user, or remove the key from .git/config."],
  [/^git$/, "Call git without global options; give a directory with cwd."],
];

export function hintFor({ verdict, parts }: Pick<CommandAnalysis, "verdict" | "parts">): string | null {
  if (verdict === "readonly") return null;
  const rule = strictest(parts)?.rule;
  return rule === undefined ? null : (hints.find(([pattern]) => pattern.test(rule))?.[1] ?? null);
}
