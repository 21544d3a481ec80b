// One call of a program inside a command, and what holds of every program: secrets among its words, and words that nobody
// knows yet.

import type { CommandPart } from "../../core/command.js";
import { asks, type Finding, opaque } from "./finding.js";
import type { Where } from "./judge.js";
import type { Surroundings } from "./paths.js";
import { doers } from "./programs/doers.js";
import { readers } from "./programs/index.js";
import type { Doer } from "./programs/spec.js";
import type { Word } from "./script.js";

/** The words of one program, and what was found of the commands inside them. */
export interface Call {
  name: string;
  words: readonly Word[];
  inner: readonly (readonly CommandPart[])[];
  where: Where;
  around: Surroundings;
}

export function doerOf(base: string): Doer | undefined {
  const name = base.startsWith("mkfs") ? "mkfs" : base;
  return Object.hasOwn(doers, name) ? doers[name] : undefined;
}

/** What holds of every program: secrets among its words, and words that nobody knows yet. */
export function commonFinding({ name, words, inner, around }: Call): Finding[] {
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  const isText = reader?.operands === "text";
  const found: Finding[] = [];
  for (const [index, word] of words.entries()) {
    const alarm = isText ? null : around.wordAlarm(word);
    // The pattern of a search is text, whatever it looks like.
    if (alarm && !(reader?.operands === "pattern" && word.literal)) found.push(alarm);
    for (const { kind, ...more } of word.dynamic) {
      if (kind === "opaque" && "what" in more) found.push(opaque("expansion", `It holds ${more.what}.`));
      else if (kind === "substitution") {
        const plain = isText && (inner[index] ?? []).every(({ verdict }) => verdict === "readonly");
        found.push(
          plain
            ? asks("expansion", "A word is the output of a command.")
            : opaque("expansion", "A word is the output of a command."),
        );
      } else if (kind === "variable" && "name" in more && around.assigned.has(more.name) && !isText) {
        found.push(opaque("expansion", `${more.name} is set by the command itself.`));
      } else if (kind === "arithmetic" && "names" in more) {
        const isSet = more.names.some((name) => around.assigned.has(name));
        if (isSet) found.push(opaque("expansion", "It holds arithmetic, which evaluates names."));
        else if (!isText) found.push(asks("expansion", "The shell makes something else of a word."));
      } else if (kind === "glob" && "leads" in more && more.leads && (reader?.runs ?? doerOf(name)?.runs)) {
        found.push(opaque("expansion", "A file's name can become a flag that runs a program."));
      } else found.push(asks("expansion", "The shell makes something else of a word."));
    }
  }
  return found;
}
