// grep, and rg where it is used like it: lines of files, or of what comes through a pipe, that fit an expression.
// Invariant: a directory is gone through without following links and without `.git`, file by file in the order of names;
// what is withheld is not opened.

import { type Applet, type AppletRun, absolute, told } from "./applet.js";
import { type Matcher, matcherFor } from "./expression.js";
import { count, type Options, readOptions } from "./options.js";
import { linesOf } from "./show.js";

interface Search {
  matcher: Matcher;
  invert: boolean;
  only: boolean;
  numbers: boolean;
  named: boolean;
  before: number;
  after: number;
  most: number;
  /** What is said of a file in place of its lines. */
  says: "lines" | "count" | "with" | "without" | "nothing";
  /** How a binary file is spoken of; null: it is passed over. */
  binary: ((name: string) => string) | null;
  /** A count of none is said, too. */
  zeros: boolean;
}

const grepOptions = {
  letters: "EFGHIhilLnoqrsvwxc",
  values: "eABCm\x01\x02\x03\x04",
  long: {
    "extended-regexp": "E",
    "fixed-strings": "F",
    "basic-regexp": "G",
    "with-filename": "H",
    "no-filename": "h",
    "ignore-case": "i",
    "files-with-matches": "l",
    "files-without-match": "L",
    "line-number": "n",
    "only-matching": "o",
    quiet: "q",
    silent: "q",
    recursive: "r",
    "no-messages": "s",
    "invert-match": "v",
    "word-regexp": "w",
    "line-regexp": "x",
    count: "c",
    regexp: "e",
    "after-context": "A",
    "before-context": "B",
    context: "C",
    "max-count": "m",
    include: "\x01",
    exclude: "\x02",
    "exclude-dir": "\x03",
    color: "\x04",
    colour: "\x04",
  },
} as const;

const grep: Applet = (words) => {
  const options = readOptions(words, grepOptions);
  if (!options || options.values("\x04").some((value) => value !== "never" && value !== "auto")) return null;
  const { has, values, operands } = options;
  const patterns = has("e") ? values("e") : operands.slice(0, 1);
  const paths = has("e") ? operands : operands.slice(1);
  if (["E", "F", "G"].filter(has).length > 1) return null;
  const matcher = matcherFor({
    patterns,
    syntax: has("F") ? "fixed" : has("E") ? "extended" : "basic",
    ...{ ignoreCase: has("i"), words: has("w"), lines: has("x") },
  });
  const globs = [values("\x01"), values("\x02"), values("\x03")].map((given) => given.map(nameTest));
  if (!matcher || globs.flat().includes(null)) return null;
  const [included = [], excluded = [], closed = []] = globs as ((name: string) => boolean)[][];
  const isRecursive = has("r");
  const isNamed = !has("h") && (has("H") || isRecursive || paths.length > 1);
  const search = searchOf(options, { matcher, named: isNamed, zeros: true });
  if (!search) return null;
  search.binary = has("I") ? null : (name) => `grep: ${name}: binary file matches\n`;
  const fits = (name: string) =>
    (included.length === 0 || included.some((test) => test(name))) && !excluded.some((test) => test(name));
  return async (run) => {
    const errors = { ...run, err: has("s") ? () => {} : run.err };
    const outcome = new Outcome(search, run);
    const start = paths.length > 0 ? paths : isRecursive ? [""] : ["-"];
    const into = (name: string) => name !== ".git" && !closed.some((test) => test(name));
    for (const operand of start) {
      if (operand === "-") await outcome.take("(standard input)", run.input);
      else if (isRecursive) await walk(errors, operand, { outcome, into, fits });
      else await outcome.file(errors, operand, `grep: ${operand}`);
    }
    return outcome.exit(has("q"));
  };
};

function searchOf(
  { has, value }: Options,
  { matcher, named, zeros }: Pick<Search, "matcher" | "named" | "zeros">,
): Search | null {
  const numbers = [value("A") ?? value("C") ?? "0", value("B") ?? value("C") ?? "0", value("m") ?? "999999999"].map(
    count,
  );
  const [after, before, most] = numbers;
  if (after == null || before == null || most == null || most === 0) return null;
  const kinds = ["c", "l", "L", "q"].filter(has);
  // Lines after the last one that counts, and parts of lines that do not fit, are told in several ways.
  if (kinds.length > 1 || (has("o") && (has("v") || after + before > 0)) || (has("m") && after > 0)) return null;
  const says = ({ c: "count", l: "with", L: "without", q: "nothing" } as const)[kinds[0] as "c"] ?? "lines";
  const flags = { invert: has("v"), only: has("o"), numbers: has("n") };
  return { ...flags, matcher, named, before, after, most, says, binary: null, zeros };
}

/** `*.ts`, as for `--include`; null when it is more than a name with stars. */
function nameTest(glob: string): ((name: string) => boolean) | null {
  if (!/^[\w.*@+ -]+$/.test(glob)) return null;
  const parts = glob.split("*");
  const [first = "", ...rest] = parts;
  return (name) => {
    if (rest.length === 0) return name === glob;
    if (!name.startsWith(first)) return false;
    let at = first.length;
    const last = rest.at(-1) ?? "";
    for (const part of rest.slice(0, -1)) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}

interface Walk {
  outcome: Outcome;
  into(name: string): boolean;
  fits(name: string): boolean;
}

/** What an operand stands for, directories with all that is in them. "" is the working directory, unnamed. */
async function walk(run: AppletRun, operand: string, { outcome, into, fits }: Walk): Promise<void> {
  const path = absolute(run.cwd, operand === "" ? "." : operand);
  const said = `grep: ${operand}`;
  const found = await told(run, said, () => run.files.look(path));
  if (!found) return outcome.fail();
  if (!found.stat.isDirectory()) {
    if (fits(operand.slice(operand.lastIndexOf("/") + 1))) await outcome.file(run, operand, said);
    return;
  }
  const pending = [{ shown: operand, place: found.path }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { shown, place } = next;
    const entries = await told(run, `grep: ${shown}`, () => run.files.entries(place));
    if (!entries) {
      outcome.fail();
      continue;
    }
    const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const named = (name: string) => (shown === "" ? name : `${shown.replace(/\/+$/, "")}/${name}`);
    for (const entry of sorted) {
      const inside = `${place === "/" ? "" : place}/${entry.name}`;
      if (entry.isFile() && fits(entry.name) && !run.files.conceals(inside)) {
        await outcome.file(run, named(entry.name), `grep: ${named(entry.name)}`, inside);
      }
    }
    const below = sorted.filter((entry) => entry.isDirectory() && into(entry.name));
    for (const { name } of below.reverse())
      pending.push({ shown: named(name), place: `${place === "/" ? "" : place}/${name}` });
  }
}

class Outcome {
  readonly #search: Search;
  readonly #run: AppletRun;
  #found = false;
  #failed = false;
  #separated = true;

  constructor(search: Search, run: AppletRun) {
    this.#search = search;
    this.#run = run;
  }

  fail(): void {
    this.#failed = true;
  }

  exit(isQuiet: boolean): number {
    if (this.#failed && !(isQuiet && this.#found)) return 2;
    return this.#found ? 0 : 1;
  }

  async file(run: AppletRun, operand: string, said: string, place = absolute(run.cwd, operand)): Promise<void> {
    await run.breathe();
    const bytes = await told(run, said, () => run.files.read(place));
    if (bytes) return this.take(operand, bytes);
    this.fail();
  }

  async take(name: string, bytes: Buffer): Promise<void> {
    const { matcher, invert, says, most, zeros, binary } = this.#search;
    const isBinary = bytes.includes(0);
    if (isBinary && !binary) return this.#tell(name, 0);
    const isHopeless = !invert && matcher.literal !== null && !bytes.includes(matcher.literal);
    // Where nothing of it is printed, its lines also end at a NUL.
    const text = isBinary ? Buffer.from(bytes.map((byte) => (byte === 0 ? 10 : byte))) : bytes;
    const lines = isHopeless ? [] : await this.#fitting(text, says === "with" || says === "without" ? 1 : most);
    if (lines.length > 0 && says !== "without") this.#found = true;
    if (says === "lines" && isBinary) {
      if (lines.length > 0) this.#run.out(binary?.(name) ?? "");
    } else if (says === "lines") this.#print(name, bytes, lines);
    else if (says !== "count" || zeros || lines.length > 0) this.#tell(name, lines.length);
  }

  #tell(name: string, lines: number): void {
    const { says, named } = this.#search;
    const { out } = this.#run;
    if (says === "count") out(`${named ? `${name}:` : ""}${lines}\n`);
    if ((says === "with" && lines > 0) || (says === "without" && lines === 0)) out(`${name}\n`);
    if (says === "without" && lines === 0) this.#found = true;
  }

  /** Numbers of lines, from 0. */
  async #fitting(bytes: Buffer, most: number): Promise<number[]> {
    const { matcher, invert } = this.#search;
    const fitting: number[] = [];
    let number = 0;
    for (const line of linesOf(bytes)) {
      if (number % 2_000 === 1_999) await this.#run.breathe();
      if ((matcher.find(textOf(line), 0) !== null) !== invert) fitting.push(number);
      if (fitting.length >= most) break;
      number++;
    }
    return fitting;
  }

  #print(name: string, bytes: Buffer, fitting: readonly number[]): void {
    if (fitting.length === 0) return;
    const { before, after, only } = this.#search;
    const all = [...linesOf(bytes)];
    const hits = new Set(fitting);
    let last = -1;
    for (const at of fitting) {
      const from = Math.max(last + 1, at - before);
      if (before + after > 0) {
        if ((!this.#separated && from > last + 1) || (last < 0 && !this.#separated)) this.#run.out("--\n");
        this.#separated = false;
      }
      const end = Math.min(all.length - 1, at + after);
      for (let line = from; line <= end; line++) {
        const text = all[line] as Buffer;
        if (only) this.#parts(name, line, textOf(text));
        else this.#line(name, line, hits.has(line) ? ":" : "-", text);
        if (line >= at && hits.has(line + 1)) {
          last = line;
          break;
        }
        last = line;
      }
    }
  }

  #head(name: string, line: number, sign: string): string {
    const { named, numbers } = this.#search;
    return `${named ? `${name}${sign}` : ""}${numbers ? `${line + 1}${sign}` : ""}`;
  }

  #line(name: string, line: number, sign: string, text: Buffer): void {
    this.#run.out(this.#head(name, line, sign));
    this.#run.out(text);
    if (text.at(-1) !== 10) this.#run.out("\n");
  }

  #parts(name: string, line: number, text: string): void {
    for (let from = 0; from <= text.length; ) {
      const found = this.#search.matcher.find(text, from);
      if (!found) return;
      if (found.end > found.start)
        this.#run.out(`${this.#head(name, line, ":")}${text.slice(found.start, found.end)}\n`);
      from = Math.max(found.end, found.start + 1);
    }
  }
}

/** Without its end. Throws where it is no text: what grep says of such a line depends on much. */
function textOf(line: Buffer): string {
  const text = line.toString("utf8", 0, line.at(-1) === 10 ? line.length - 1 : line.length);
  return text;
}

export const matchApplets: Readonly<Record<string, Applet>> = { grep };
