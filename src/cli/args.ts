// Reads a command line against a table of flags. Pure: arguments in, values or a UserError (exit 2) out.
// Invariants: what is not in the table is refused with what is; the argument after -p is the prompt even when it looks
// like a flag, so text that somebody else wrote can never become one; nothing given twice is silently dropped.

import { choose } from "../config/choice.js";
import { UserError } from "../core/errors.js";
import { byLikeness, nearest } from "../lib/nearest.js";
import type { Flag } from "./flags.js";

export interface CommandLine {
  values: Values;
  /** What is neither flag nor value, in order. */
  words: string[];
  /** The first word, when it names a subcommand; `rest` are the arguments after it, unread. */
  command?: string;
  rest: string[];
}

/** The values of the flags that were given. Asking for a flag that the table does not have is a bug. */
export class Values {
  readonly #values = new Map<string, string[]>();
  readonly #flags: readonly Flag[];

  constructor(flags: readonly Flag[]) {
    this.#flags = flags;
  }

  /** A prompt flag without its prompt. */
  mark(flag: Flag): void {
    if (!this.#values.has(flag.name)) this.#values.set(flag.name, []);
  }

  add(flag: Flag, value: string): void {
    const before = this.#values.get(flag.name);
    if (before && !flag.repeat && flag.kind.is !== "switch")
      throw new UserError(`${shown(flag)} is given twice.`, "Give it once.");
    this.#values.set(flag.name, [...(before ?? []), value]);
  }

  has(name: string): boolean {
    this.#known(name);
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.list(name)[0];
  }

  number(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : Number(value);
  }

  list(name: string): readonly string[] {
    this.#known(name);
    return this.#values.get(name) ?? [];
  }

  #known(name: string): void {
    if (!this.#flags.some((flag) => flag.name === name)) throw new Error(`no flag ${name} in this table`);
  }
}

/** `commands`: words that end the reading when they come first and no -p was given. */
export function readArgs(
  args: readonly string[],
  flags: readonly Flag[],
  commands: readonly string[] = [],
): CommandLine {
  const line: CommandLine = { values: new Values(flags), words: [], rest: [] };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      line.words.push(...args.slice(at + 1));
      break;
    }
    if (!isFlag(arg)) {
      const first =
        line.words.length === 0 && !flags.some(({ kind, name }) => kind.is === "prompt" && line.values.has(name));
      if (first && commands.includes(arg)) return { ...line, command: arg, rest: args.slice(at + 1) };
      line.words.push(arg);
      continue;
    }
    at += readFlag(arg, args[at + 1], flags, line.values);
  }
  return line;
}

/** Takes one flag with its value; returns how many further arguments that used up. */
function readFlag(arg: string, next: string | undefined, flags: readonly Flag[], values: Values): 0 | 1 {
  const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
  const name = equals < 0 ? arg : arg.slice(0, equals);
  const flag = flags.find((row) => `--${row.name}` === name || `-${row.short}` === name);
  if (!flag) throw unknownFlag(name, flags);
  if (flag.later) throw new UserError(`${name} is not in this version.`, "`cinch --help` lists what is.");
  const attached = equals < 0 ? undefined : arg.slice(equals + 1);
  if (flag.kind.is === "switch") {
    if (attached !== undefined) throw new UserError(`${name} takes no value.`, `Write ${name} alone.`);
    values.add(flag, "");
    return 0;
  }
  const value = attached ?? (next === "--" && flag.kind.is === "prompt" ? undefined : next);
  if (value === undefined || (attached === undefined && flag.kind.is !== "prompt" && isNamed(value, flags))) {
    if (flag.kind.is !== "prompt") throw missing(flag, name);
    values.mark(flag);
    return 0;
  }
  values.add(flag, checked(flag, value));
  return attached === undefined ? 1 : 0;
}

function isFlag(arg: string): boolean {
  return arg.length > 1 && arg.startsWith("-");
}

/** Is this argument a flag of the table, as written? Then it was not meant as the value of the flag before it. */
function isNamed(arg: string, flags: readonly Flag[]): boolean {
  if (!isFlag(arg)) return false;
  const [name = ""] = arg.split("=", 1);
  return flags.some((flag) => `--${flag.name}` === name || `-${flag.short}` === name);
}

function checked(flag: Flag, value: string): string {
  const { kind } = flag;
  if (kind.is === "choice") {
    const chosen = choose(shown(flag), value, kind);
    if (chosen.ok) return chosen.value;
    throw new UserError(chosen.text, `Valid: ${kind.values.join(", ")}.`);
  }
  if (kind.is === "count" && !(/^\d{1,15}$/.test(value) && Number(value) >= 1)) {
    throw new UserError(`${shown(flag)}: ${JSON.stringify(value)} is not a whole number of at least 1.`);
  }
  if (kind.is === "amount" && !(/^\d{1,12}(\.\d{1,9})?$/.test(value) && Number(value) > 0)) {
    throw new UserError(`${shown(flag)}: ${JSON.stringify(value)} is not a number above 0.`, "Write it like 2 or 0.5.");
  }
  if ((kind.is === "text" || kind.is === "path") && value === "") {
    throw new UserError(`${shown(flag)}: the value is empty.`, `Write ${shown(flag)} ${flag.hint ?? "<value>"}.`);
  }
  return value;
}

function missing(flag: Flag, name: string): UserError {
  const { kind } = flag;
  const what = kind.is === "choice" ? `one of ${kind.values.join(", ")}` : (flag.hint ?? "a value");
  return new UserError(
    `${name} needs a value: ${what}.`,
    `A value that begins with a dash is written --${flag.name}=<value>.`,
  );
}

function unknownFlag(name: string, flags: readonly Flag[]): UserError {
  const names = flags.filter((flag) => !flag.later).map((flag) => `--${flag.name}`);
  const meant = nearest(name, names);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new UserError(`${name} is not a flag.${hint}`, `Flags: ${byLikeness(name, names).join(" ")}`);
}

function shown(flag: Flag): string {
  return `--${flag.name}`;
}
