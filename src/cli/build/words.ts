// What stands behind `/build`: flags of the table of `cinch build`, and between them what is wanted, word for word.
// Invariant: flags stand before what is wanted or behind it; a dash within a sentence is part of the sentence.

import { readArgs, type Values } from "../args.js";
import type { Flag } from "../flags.js";

interface Word {
  text: string;
  from: number;
  to: number;
}

/** @throws UserError about the flags, as the command line says it */
export function readWanted(argument: string, flags: readonly Flag[]): { values: Values; wanted: string } {
  const words = [...argument.matchAll(/"([^"]*)"|\S+/g)].map(
    ({ 0: whole, 1: quoted, index }): Word => ({ text: quoted ?? whole, from: index, to: index + whole.length }),
  );
  const begin = firstWanted(words, flags);
  const end = lastWanted(words, begin, flags);
  const given = [...words.slice(0, begin), ...words.slice(end)].map(({ text }) => text).filter((text) => text !== "--");
  const { values } = readArgs(given, flags);
  const [only, ...others] = words.slice(begin, end);
  const wanted = only && others.length === 0 ? only.text : argument.slice(only?.from ?? 0, others.at(-1)?.to ?? 0);
  return { values, wanted };
}

/** What begins with dashes is meant as a flag here, also when there is none of that name. */
function firstWanted(words: readonly Word[], flags: readonly Flag[]): number {
  let at = 0;
  for (let word = words[at]; word?.text.startsWith("--"); word = words[at]) {
    if (word.text === "--") return at + 1;
    at += takesNext(word, flags) ? 2 : 1;
  }
  return Math.min(at, words.length);
}

/** Here only what is a flag of the table is one. */
function lastWanted(words: readonly Word[], begin: number, flags: readonly Flag[]): number {
  let end = words.length;
  for (;;) {
    const [before, last] = [words[end - 2], words[end - 1]];
    if (last && end - 1 >= begin && flagOf(last, flags)) end -= 1;
    else if (before && end - 2 >= begin && takesNext(before, flags)) end -= 2;
    else return end;
  }
}

function flagOf({ text }: Word, flags: readonly Flag[]): Flag | undefined {
  const [name] = text.split("=", 1);
  return flags.find((flag) => `--${flag.name}` === name);
}

function takesNext(word: Word, flags: readonly Flag[]): boolean {
  return !word.text.includes("=") && (flagOf(word, flags)?.kind.is ?? "switch") !== "switch";
}
