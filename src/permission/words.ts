// `Bash(…)`: a command as a rule writes it, matched against the words of one part of a command, never against its text.
//   npm test        exactly these words            npm run *   npm run:*   these words and any that follow, or none
//   git push *in    `*` in a word: any characters of that word    'a*b' "a b" \*   quoted: itself
// Invariants: a wildcard never reaches beyond its word; an operator in a rule is a mistake, because one part has none.

import { fitsPieces, type Pieces } from "../lib/pieces.js";

/** One word of a rule. */
type Word = Pieces;

export interface CommandSpec {
  words: readonly Word[];
  /** Further words may follow. */
  open: boolean;
}

/** Throws a sentence (Error) that says what is wrong. */
export function readCommandSpec(text: string): CommandSpec {
  const prefix = /:\*\s*$/.test(text);
  const words = splitWords(prefix ? text.replace(/:\*\s*$/, "") : text);
  const last = words.at(-1);
  const rest = !prefix && last !== undefined && isAnything(last);
  const named = rest ? words.slice(0, -1) : words;
  if (named.length === 0 && !rest) throw new Error("it names no command");
  if (named[0] && isAnything(named[0])) throw new Error("a wildcard cannot stand for the program");
  return { words: named, open: prefix || rest };
}

/** `base`: the program may be written with its directory, `/bin/rm` for `rm`. */
export function matchesWords(spec: CommandSpec, argv: readonly string[], base: boolean): boolean {
  const { words, open } = spec;
  if (argv.length < words.length || (!open && argv.length > words.length)) return false;
  return words.every((word, i) => {
    const said = argv[i] ?? "";
    return fitsPieces(word, said) || (base && i === 0 && fitsPieces(word, said.slice(said.lastIndexOf("/") + 1)));
  });
}

/** Also with options between the program and what follows it in the rule: `git -C . push` is meant by `git push *`. */
export function meantBy(spec: CommandSpec, argv: readonly string[]): boolean {
  if (matchesWords(spec, argv, true)) return true;
  const [program = "", ...rest] = argv;
  for (let at = 0; rest[at]?.startsWith("-"); at++) {
    if ([at + 1, at + 2].some((from) => matchesWords(spec, [program, ...rest.slice(from)], true))) return true;
    if (!rest[at + 1]?.startsWith("-") && rest[at + 2]?.startsWith("-")) at++;
  }
  return false;
}

/** Words that are looked at behind one that may be the program. */
const most = 64;

/** Somewhere in these words the command of the rule is named: `chrt 1 rm x`, `sh -c "a; rm x"`, `--opt=rm`. */
export function namedIn(spec: CommandSpec, argv: readonly string[]): boolean {
  if (argv.some((_, at) => at > 0 && meantBy(spec, argv.slice(at, at + most)))) return true;
  return argv.some((word) => {
    const inner = word.split(/[\s;|&()<>`"'${}=:,![\]\\]+/).filter((text) => text !== "");
    return (
      inner.length > 1 &&
      inner.some((_, at) => meantBy(spec, inner.slice(at, at + most)) || meantBy(spec, inner.slice(at, at + 1)))
    );
  });
}

/** Stands for one argv and no other. */
export function isExact({ words, open }: CommandSpec): boolean {
  return !open && words.every((word) => word.length === 1);
}

/** The text that `readCommandSpec` reads back as exactly these words. */
export function writeWords(argv: readonly string[]): string {
  return argv.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

const plain = /^[\w@%+=:,./~^-]*[\w@%+=,./~^-]$/;

function isAnything(word: Word): boolean {
  return word.length === 2 && word[0] === "" && word[1] === "";
}

/** The shell's quoting, without anything that the shell would replace. */
function splitWords(text: string): Word[] {
  const words: string[][] = [];
  let word: string[] | null = null;
  const add = (piece: string) => {
    word ??= [""];
    word.push((word.pop() ?? "") + piece);
  };
  for (const [token] of text.matchAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\.|\s+|./gsu)) {
    if (/^\s/.test(token)) {
      if (word) words.push(word);
      word = null;
    } else if (token === "*") word = [...(word ?? [""]), ""];
    else if (token.length > 1) add(token.startsWith("\\") ? token.slice(1) : unquoted(token));
    else if (token === "'" || token === '"') throw new Error("a quote is not closed");
    else if (operators.includes(token))
      throw new Error(`${token} is an operator; a rule is for one command without them`);
    else add(token);
  }
  if (word) words.push(word);
  return words;
}

const operators = ["|", "&", ";", "<", ">", "(", ")", "`", "$"];

function unquoted(token: string): string {
  const inner = token.slice(1, -1);
  if (token.startsWith("'")) return inner;
  if (/(?<!\\)[$`]/.test(inner)) throw new Error("$ and ` stand for something else inside of double quotes");
  return inner.replace(/\\(.)/gs, "$1");
}
