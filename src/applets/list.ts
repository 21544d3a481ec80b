// ls, as it prints when its output is no terminal: one name a line, in the order of their bytes.

import { type Applet, AppletError, type AppletRun, absolute, type Stats, told } from "./applet.js";
import { type Options, readOptions } from "./options.js";

interface Named {
  /** As it is printed. */
  name: string;
  path: string;
  stat: Stats;
}

const ls: Applet = (words) => {
  const options = readOptions(words, {
    letters: "1aAdFhlpRrSt",
    long: { all: "a", "almost-all": "A", directory: "d", recursive: "R", reverse: "r" },
  });
  if (!options) return null;
  const { has } = options;
  // Which of two wins, and marks after the targets of links, are left to the real one.
  if ((has("a") && has("A")) || (has("S") && has("t")) || (has("F") && has("p"))) return null;
  if (has("l") && (has("F") || has("p"))) return null;
  // What git keeps is nobody's to list with the rest.
  if (has("R") && (has("a") || has("A") || has("d"))) return null;
  return (run) => new Listing(run, options).answer();
};

class Listing {
  readonly #run: AppletRun;
  readonly #options: Options;
  #exit = 0;
  #isFirst = true;

  constructor(run: AppletRun, options: Options) {
    this.#run = run;
    this.#options = options;
  }

  async answer(): Promise<number> {
    const { has, operands } = this.#options;
    const { cwd, files } = this.#run;
    const named: Named[] = [];
    for (const name of operands.length === 0 ? ["."] : operands) {
      const path = absolute(cwd, name);
      const found = await told(this.#run, `ls: cannot access '${name}'`, () => this.#named(path));
      if (found) named.push({ name, path: found.path, stat: found.stat });
      else this.#exit = 2;
    }
    const isOpened = ({ stat }: Named) => stat.isDirectory() && !has("d");
    const alone = this.#sorted(named.filter((entry) => !isOpened(entry)));
    const opened = this.#sorted(named.filter(isOpened));
    await this.#print(alone, false);
    this.#isFirst = alone.length === 0;
    const isTitled = operands.length > 1 || has("R");
    for (const { name, path } of opened) {
      await this.#open(name, files.look(path).path, isTitled);
    }
    return this.#exit;
  }

  /** A link to a directory is one, unless what is asked for is about the link. */
  #named(path: string) {
    const { files } = this.#run;
    const { has } = this.#options;
    const self = files.look(path, true);
    if (!self.stat.isSymbolicLink() || has("l") || has("d") || has("F")) return self;
    try {
      const target = files.look(path);
      return target.stat.isDirectory() ? target : self;
    } catch (error) {
      if (!(error instanceof AppletError)) throw error;
      return self;
    }
  }

  async #open(name: string, path: string, isTitled: boolean): Promise<void> {
    const { files, out } = this.#run;
    const { has } = this.#options;
    await this.#run.breathe();
    const inside = await told(this.#run, `ls: cannot open directory '${name}'`, () => files.entries(path));
    if (!inside) {
      this.#exit = Math.max(this.#exit, name === path ? 2 : 1);
      return;
    }
    const dots = has("a") ? [".", ".."] : [];
    const names = [...dots, ...inside.map((entry) => entry.name)].filter(
      (each) => has("a") || has("A") || !each.startsWith("."),
    );
    const entries: Named[] = [];
    for (const each of names) {
      const place = each === "." ? path : each === ".." ? path : `${path === "/" ? "" : path}/${each}`;
      const found = await told(this.#run, `ls: cannot access '${name}/${each}'`, () =>
        each === ".." ? { path, stat: files.above(path) } : files.look(place, each !== "."),
      );
      if (found) entries.push({ name: each, path: place, stat: found.stat });
      else this.#exit = Math.max(this.#exit, 1);
    }
    if (isTitled) out(`${this.#isFirst ? "" : "\n"}${name}:\n`);
    this.#isFirst = false;
    const sorted = this.#sorted(entries);
    await this.#print(sorted, true);
    if (!has("R")) return;
    for (const entry of sorted) {
      if (entry.stat.isDirectory()) await this.#open(`${name.replace(/\/+$/, "")}/${entry.name}`, entry.path, true);
    }
  }

  #sorted(entries: Named[]): Named[] {
    const { has } = this.#options;
    const byName = (a: Named, b: Named) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
    const order = (a: Named, b: Named) => {
      if (has("S")) return b.stat.size - a.stat.size || byName(a, b);
      if (has("t")) return b.stat.mtimeMs - a.stat.mtimeMs || byName(a, b);
      return byName(a, b);
    };
    const sorted = entries.sort(order);
    return has("r") ? sorted.reverse() : sorted;
  }

  async #print(entries: readonly Named[], isDirectory: boolean): Promise<void> {
    const { out } = this.#run;
    if (!this.#options.has("l")) {
      for (const { name, stat } of entries) out(`${name}${this.#mark(stat)}\n`);
      return;
    }
    if (isDirectory) {
      const blocks = entries.reduce((sum, { stat }) => sum + (stat.blocks ?? 0), 0);
      out(`total ${this.#options.has("h") ? human(blocks * 512) : Math.ceil(blocks / 2)}\n`);
    }
    for (const row of aligned(entries.map((entry) => this.#columns(entry)))) out(`${row}\n`);
  }

  #mark(stat: Stats): string {
    const { has } = this.#options;
    if (stat.isDirectory()) return has("F") || has("p") ? "/" : "";
    if (!has("F")) return "";
    if (stat.isSymbolicLink()) return "@";
    if (stat.isFIFO()) return "|";
    if (stat.isSocket()) return "=";
    return stat.isFile() && (stat.mode & 0o111) !== 0 ? "*" : "";
  }

  #columns({ name, path, stat }: Named): string[] {
    const { files, now } = this.#run;
    const size = this.#options.has("h") ? human(stat.size) : String(stat.size);
    const to = stat.isSymbolicLink() ? ` -> ${files.target(path)}` : "";
    const who = [files.owner("user", stat.uid), files.owner("group", stat.gid)];
    return [modeOf(stat), String(stat.nlink), ...who, size, dateOf(stat.mtimeMs, now), `${name}${to}`];
  }
}

/** Numbers to the right, names to the left. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const width = (at: number) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0));
  const widths = [1, 2, 3, 4].map(width);
  return rows.map(([mode, links = "", user = "", group = "", size = "", date, name]) =>
    [
      mode,
      links.padStart(widths[0] ?? 0),
      user.padEnd(widths[1] ?? 0),
      group.padEnd(widths[2] ?? 0),
      size.padStart(widths[3] ?? 0),
      date,
      name,
    ].join(" "),
  );
}

function modeOf(stat: Stats): string {
  const kind = stat.isDirectory()
    ? "d"
    : stat.isSymbolicLink()
      ? "l"
      : stat.isFIFO()
        ? "p"
        : stat.isSocket()
          ? "s"
          : "-";
  const bits = (shift: number, special: number, letter: string) => {
    const mode = stat.mode >> shift;
    const isSpecial = (stat.mode & special) !== 0;
    const runs = (mode & 1) !== 0 ? (isSpecial ? letter : "x") : isSpecial ? letter.toUpperCase() : "-";
    return `${mode & 4 ? "r" : "-"}${mode & 2 ? "w" : "-"}${runs}`;
  };
  return `${kind}${bits(6, 0o4000, "s")}${bits(3, 0o2000, "s")}${bits(0, 0o1000, "t")}`;
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const halfYear = 31_556_952 / 2;

function dateOf(ms: number, now: number): string {
  const date = new Date(ms);
  const day = `${months[date.getMonth()]} ${String(date.getDate()).padStart(2)}`;
  const age = now - ms / 1000;
  if (age < 0 || age > halfYear) return `${day} ${String(date.getFullYear()).padStart(5)}`;
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Rounded up. */
function human(bytes: number): string {
  if (bytes < 1024) return String(bytes);
  let value = bytes;
  let unit = -1;
  while (value >= 1024 && unit < 5) {
    value /= 1024;
    unit++;
  }
  const rounded = value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value);
  if (rounded >= 1024) return `1.0${"KMGTPE".charAt(unit + 1)}`;
  return `${rounded < 10 ? rounded.toFixed(1) : rounded}${"KMGTPE".charAt(unit)}`;
}

export const listApplets: Readonly<Record<string, Applet>> = { ls };
