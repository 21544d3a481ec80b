// Reads the words of a program against a list of flags (programs/spec.ts has its form).
// Invariant: a word that begins with a dash is a flag of the list, with the value that the list gives it, or it is `unknown`.

import type { Given } from "./programs/spec.js";
import type { Word } from "./script.js";

export interface Parsed extends Given {
  /** The first flag that is not in the list. */
  unknown?: string;
  /** Values that are files to be read. */
  files: readonly Word[];
}

type Arity = "none" | "value" | "file" | "optional" | readonly string[];

export interface FlagTable {
  flags: ReadonlyMap<string, Arity>;
  numeric: boolean;
}

const tables = new Map<string, FlagTable>();

/** The list as a table; kept, since a list is looked at again and again. */
export function flagTable(list: string, style?: "words"): FlagTable {
  const key = `${style ?? ""} ${list}`;
  const known = tables.get(key);
  if (known) return known;
  const flags = new Map<string, Arity>();
  let numeric = false;
  for (const token of list.split(" ")) {
    if (token === "-NUM") numeric = true;
    else if (token !== "") addFlag(flags, token, style);
  }
  const table = { flags, numeric };
  tables.set(key, table);
  return table;
}

const arities: Readonly<Record<string, Arity>> = { ":": "value", "@": "file", "?": "optional" };

function addFlag(flags: Map<string, Arity>, token: string, style: "words" | undefined): void {
  const choice = /^(--[\w-]+)=(.+)$/.exec(token);
  const last = token.slice(-1);
  const arity = arities[last] ?? "none";
  const name = arity === "none" ? token : token.slice(0, -1);
  if (choice) flags.set(choice[1] ?? "", (choice[2] ?? "").split("|"));
  else if (style === "words" || token.startsWith("--")) flags.set(name, arity);
  else for (const letter of name.slice(1)) flags.set(`-${letter}`, name.endsWith(letter) ? arity : "none");
}

export function parseFlags(words: readonly Word[], table: FlagTable, style?: "words"): Parsed {
  const reader = new FlagReader(words, table, style);
  return reader.read();
}

class FlagReader {
  readonly #words: readonly Word[];
  readonly #table: FlagTable;
  readonly #style: "words" | undefined;
  readonly #flags: { name: string; value?: string }[] = [];
  readonly #operands: Word[] = [];
  readonly #files: Word[] = [];
  #unknown: string | undefined;
  #at = 0;

  constructor(words: readonly Word[], table: FlagTable, style: "words" | undefined) {
    this.#words = words;
    this.#table = table;
    this.#style = style;
  }

  read(): Parsed {
    for (; this.#at < this.#words.length; this.#at++) {
      const word = this.#words[this.#at] as Word;
      const { text } = word;
      if (text === "--" && this.#style === undefined) {
        this.#operands.push(...this.#words.slice(this.#at + 1));
        break;
      }
      if (!text.startsWith("-") || text === "-") this.#operands.push(word);
      else if (this.#style === "words") this.#wholeWord(word);
      else if (text.startsWith("--")) this.#long(word);
      else this.#letters(word);
    }
    const given = { flags: this.#flags, operands: this.#operands, words: this.#words, files: this.#files };
    return this.#unknown === undefined ? given : { ...given, unknown: this.#unknown };
  }

  #wholeWord({ text }: Word): void {
    const arity = this.#table.flags.get(text);
    // `echo -neE`
    const letters =
      /^-[a-zA-Z]+$/.test(text) && [...text.slice(1)].every((letter) => this.#table.flags.get(`-${letter}`) === "none");
    if (arity === undefined && !letters) this.#fail(text);
    else this.#take(text, arity ?? "none", undefined);
  }

  #long({ text }: Word): void {
    const cut = text.indexOf("=");
    const name = cut < 0 ? text : text.slice(0, cut);
    const attached = cut < 0 ? undefined : text.slice(cut + 1);
    const arity = this.#table.flags.get(name);
    if (arity === undefined || (arity === "none" && attached !== undefined)) {
      this.#fail(text);
      return;
    }
    if (typeof arity === "object" && (attached === undefined || !arity.includes(attached))) {
      this.#fail(text);
      return;
    }
    this.#take(name, arity, attached);
  }

  #letters({ text }: Word): void {
    if (this.#table.numeric && /^-\d+$/.test(text)) {
      this.#flags.push({ name: "-NUM", value: text.slice(1) });
      return;
    }
    for (let index = 1; index < text.length; index++) {
      const name = `-${text.charAt(index)}`;
      const arity = this.#table.flags.get(name);
      if (arity === undefined) {
        this.#fail(text);
        return;
      }
      const rest = text.slice(index + 1);
      if (arity === "none") this.#flags.push({ name });
      else {
        this.#take(name, arity, rest === "" ? undefined : rest);
        return;
      }
    }
  }

  #take(name: string, arity: Arity, attached: string | undefined): void {
    if (arity === "none") {
      this.#flags.push({ name });
      return;
    }
    if (arity === "optional" || typeof arity === "object") {
      this.#flags.push(attached === undefined ? { name } : { name, value: attached });
      return;
    }
    const next = attached === undefined ? this.#words[++this.#at] : undefined;
    const value = attached ?? next?.text;
    if (value === undefined || (next && !next.literal)) {
      this.#fail(name);
      return;
    }
    this.#flags.push({ name, value });
    if (arity === "file") this.#files.push({ text: value, literal: true, bare: true, dynamic: [] });
  }

  #fail(text: string): void {
    this.#unknown ??= text;
  }
}

/**
 * The flag among `words` that is one of `list`, written out, attached, joined to others or cut short as GNU programs
 * and git take it; undefined when there is none.
 */
export function flagAmong(words: readonly Word[], list: string | undefined): string | undefined {
  if (list === undefined) return undefined;
  const flags = list.split(" ");
  for (const { text } of words) {
    if (text === "--") return undefined;
    if (flags.some((flag) => meant(text, flag))) return text;
  }
  return undefined;
}

function meant(text: string, flag: string): boolean {
  if (text === flag) return true;
  if (flag.startsWith("--")) {
    const [name = ""] = text.split("=", 1);
    return name.length > 3 && flag.startsWith(name);
  }
  // One letter: alone, with its value attached, or after other letters.
  return flag.length === 2 && new RegExp(`^-[A-Za-z0-9]*${flag.charAt(1)}`).test(text);
}
