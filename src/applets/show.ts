// cat, head, tail, wc: files, or what comes through a pipe, as they are or counted.

import { type Answer, type Applet, AppletError, type AppletRun, absolute, told } from "./applet.js";
import { count, readOptions } from "./options.js";

interface Wording {
  /** Before what the system says of an operand that can't be opened, or not be read. */
  open: string;
  read: string;
  /** It is there. */
  title?(): void;
}

/** An operand's bytes, none of one that can't be read; null when it can't be opened. Either has been said then. */
async function open(
  run: AppletRun,
  operand: string,
  { open, read, title }: Wording,
): Promise<{ bytes: Buffer; failed: boolean } | null> {
  const path = absolute(run.cwd, operand);
  const isInput = operand === "-";
  if (!isInput && !(await told(run, open, () => run.files.look(path)))) return null;
  title?.();
  const bytes = isInput ? run.input : await told(run, read, () => run.files.read(path));
  return { bytes: bytes ?? Buffer.alloc(0), failed: bytes === null };
}

const orInput = (operands: readonly string[]): readonly string[] => (operands.length === 0 ? ["-"] : operands);

const cat: Applet = (words) => {
  const options = readOptions(words, { letters: "nu", long: { number: "n" } });
  if (!options) return null;
  return async (run) => {
    let exit = 0;
    let line = 0;
    let isStart = true;
    for (const operand of orInput(options.operands)) {
      const said = `cat: ${operand}`;
      const content = await open(run, operand, { open: said, read: said });
      if (!content || content.failed) exit = 1;
      const bytes = content?.bytes ?? Buffer.alloc(0);
      if (!options.has("n")) run.out(bytes);
      else
        for (const each of linesOf(bytes)) {
          if (isStart) run.out(`${String(++line).padStart(6)}\t`);
          run.out(each);
          isStart = each.at(-1) === newline;
        }
    }
    return exit;
  };
};

const newline = 10;

/** With their ends. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(newline, from);
    const next = end < 0 ? bytes.length : end + 1;
    yield bytes.subarray(from, next);
    from = next;
  }
}

type Cut = (bytes: Buffer) => Buffer;

/** Those of `head` and `tail`; `short`: the number of `-5`. */
function cutOptions(words: readonly string[]) {
  const [first = "", ...rest] = words;
  const short = /^-(\d{1,9})$/.exec(first)?.[1];
  const options = readOptions(short === undefined ? words : ["-n", short, ...rest], {
    ...{ letters: "qv", values: "nc" },
    long: { lines: "n", bytes: "c", quiet: "q", silent: "q", verbose: "v" },
  });
  return { options, short };
}

const head: Applet = (words) => {
  const { options } = cutOptions(words);
  if (!options || (options.has("n") && options.has("c"))) return null;
  const given = options.value("c") ?? options.value("n") ?? "10";
  const isBack = given.startsWith("-");
  const size = count(isBack ? given.slice(1) : given);
  if (size === null) return null;
  const cut: Cut = options.has("c")
    ? (bytes) => bytes.subarray(0, isBack ? Math.max(0, bytes.length - size) : size)
    : (bytes) => bytes.subarray(0, isBack ? beforeLast(bytes, size) : afterFirst(bytes, size));
  return cutting("head", cut, options);
};

const tail: Applet = (words) => {
  const { options, short } = cutOptions(words);
  if (!options || (options.has("n") && options.has("c"))) return null;
  if (short !== undefined && options.operands.length > 1) return null;
  const given = options.value("c") ?? options.value("n") ?? "10";
  const isFrom = given.startsWith("+");
  const size = count(given.replace(/^[+-]/, ""));
  if (size === null) return null;
  const skipped = Math.max(0, size - 1);
  const cut: Cut = options.has("c")
    ? (bytes) => bytes.subarray(isFrom ? skipped : Math.max(0, bytes.length - size))
    : (bytes) => bytes.subarray(isFrom ? afterFirst(bytes, skipped) : beforeLast(bytes, size));
  return cutting("tail", cut, options);
};

/** Where the first lines end. */
function afterFirst(bytes: Buffer, lines: number): number {
  let at = 0;
  for (let n = 0; n < lines && at < bytes.length; n++) {
    const end = bytes.indexOf(newline, at);
    at = end < 0 ? bytes.length : end + 1;
  }
  return at;
}

/** Where the last ones begin. */
function beforeLast(bytes: Buffer, lines: number): number {
  let at = bytes.length;
  for (let n = 0; n < lines && at > 0; n++) {
    // The end of a line is its own.
    const from = bytes[at - 1] === newline ? at - 2 : at - 1;
    at = from < 0 ? 0 : bytes.lastIndexOf(newline, from) + 1;
  }
  return at;
}

function cutting(
  name: string,
  cut: Cut,
  { has, operands }: { has(letter: string): boolean; operands: readonly string[] },
): Answer {
  return async (run) => {
    let exit = 0;
    let isFirst = true;
    const isTitled = (operands.length > 1 && !has("q")) || has("v");
    for (const operand of orInput(operands)) {
      const content = await open(run, operand, {
        open: `${name}: cannot open '${operand}' for reading`,
        read: `${name}: error reading '${operand}'`,
        title() {
          if (isTitled) run.out(`${isFirst ? "" : "\n"}==> ${operand === "-" ? "standard input" : operand} <==\n`);
          isFirst = false;
        },
      });
      if (!content || content.failed) exit = 1;
      if (content) run.out(cut(content.bytes));
    }
    return exit;
  };
}

const wc: Applet = (words) => {
  const options = readOptions(words, { letters: "lwc", long: { lines: "l", words: "w", bytes: "c" } });
  if (!options) return null;
  const asked = ["l", "w", "c"].filter(options.has);
  const counts = asked.length === 0 ? ["l", "w", "c"] : asked;
  return async (run) => {
    const operands = orInput(options.operands);
    const width = counts.length === 1 && operands.length === 1 ? 1 : widthFor(run, operands);
    const total = counts.map(() => 0);
    const print = (numbers: readonly number[], name: string) =>
      run.out(`${numbers.map((number) => String(number).padStart(width)).join(" ")}${name}\n`);
    let exit = 0;
    for (const operand of operands) {
      const said = `wc: ${operand}`;
      const content = await open(run, operand, { open: said, read: said });
      if (!content || content.failed) exit = 1;
      if (!content) continue;
      const numbers = counts.map((each) => counters[each]?.(content.bytes) ?? 0);
      for (const [i, number] of numbers.entries()) total[i] = (total[i] ?? 0) + number;
      print(numbers, options.operands.length === 0 ? "" : ` ${operand}`);
    }
    if (operands.length > 1) print(total, " total");
    return exit;
  };
};

const counters: Readonly<Record<string, (bytes: Buffer) => number>> = {
  l: (bytes) => [...linesOf(bytes)].filter((line) => line.at(-1) === newline).length,
  w: (bytes) =>
    bytes
      .toString("latin1")
      .split(/[ \t-\r]+/)
      .filter((word) => word !== "").length,
  c: (bytes) => bytes.length,
};

/** That of the sum of all sizes; 7 at least when one has no size. */
function widthFor({ files, cwd }: AppletRun, operands: readonly string[]): number {
  let least = 1;
  let bytes = 0;
  for (const operand of operands) {
    if (operand === "-") least = 7;
    else
      try {
        const { stat } = files.look(absolute(cwd, operand));
        if (stat.isFile()) bytes += stat.size;
        else least = 7;
      } catch (error) {
        // Said when it is opened.
        if (!(error instanceof AppletError)) throw error;
      }
  }
  return Math.max(least, String(bytes).length);
}

export const showApplets: Readonly<Record<string, Applet>> = { cat, head, tail, wc };
