// What the terminal interface costs, on the built program in a terminal: an answer that arrives in pieces below finished
// messages, once while nobody types and once while somebody does; keys; completion in a large project; the way to the prompt.
// Beside it what any program of this runtime takes: one that prints a prompt, and one that writes back each key.
// Invariant: nothing is measured inside the program. Without `script` there is no figure.

import { nodeFs } from "../lib/fs.js";
import type { Pair } from "./measured.js";
import { PseudoTerminal } from "./pseudo-terminal.js";
import { put } from "./put.js";

export interface TerminalLoad {
  /** Starts to the prompt, beside the floor's. */
  pairs: number;
  /** Messages above, and pieces in which the last one arrives. */
  finished: number;
  pieces: number;
  /** Of the project in which names are completed. */
  files: number;
}

/** Milliseconds, where nothing else is said. */
export interface TerminalCosts extends Omit<TerminalLoad, "pairs"> {
  ready: Pair[];
  kilobytes: number;
  /** Screens and scrollbacks. */
  cleared: number;
  cpu: number;
  /** From key to echo while it streams, and of a program that does nothing else. */
  echo: { cinch: number[]; floor: number[] };
  /** From a key to the names that fit. */
  names: number[];
}

export interface TerminalOptions {
  /** An empty directory. */
  folder: string;
  /** The built program. */
  cinch: string;
  env: Readonly<Record<string, string | undefined>>;
}

const prompt = "What is to be done?";
const keyEvery = 25;
/** Letters that are in no answer, no status and no sequence. */
const letters = "QXZVYWU";

export async function terminalCosts(load: TerminalLoad, options: TerminalOptions): Promise<TerminalCosts> {
  const place = new Place(options, load);
  const ready: Pair[] = [];
  // The first pair fills the caches of the disk and is thrown away.
  for (let pair = -1; pair < load.pairs; pair++) {
    const [cinch, floor] = [await startTime(place.cinch()), await startTime(place.bare(printing))];
    if (pair >= 0) ready.push({ cinch, floor });
  }
  const quiet = await streamed(place, load, false);
  const { echoes } = await streamed(place, load, true);
  const floor = await bareEchoes(place, Math.max(1, echoes.length));
  const names = await completed(place, load.files);
  const { kilobytes, cleared, cpu } = quiet;
  const { finished, pieces, files } = load;
  return { finished, pieces, files, ready, kilobytes, cleared, cpu, echo: { cinch: echoes, floor }, names };
}

const printing = `process.stdout.write(${JSON.stringify(prompt)}); setTimeout(() => {}, 60_000)`;
const echoing = `process.stdin.setRawMode(true).on("data", (keys) => process.stdout.write(keys)); ${printing}`;

/** A project, a home and a script, and programs in them. */
class Place {
  readonly #options: TerminalOptions;
  readonly project: string;
  #count = 0;

  constructor(options: TerminalOptions, { finished, pieces }: TerminalLoad) {
    this.#options = options;
    this.project = `${options.folder}/project`;
    nodeFs.mkdirSync(`${this.project}/.git`, { recursive: true });
    nodeFs.mkdirSync(`${options.folder}/home`);
    for (let at = 0; at < finished; at++) put(`${this.project}/f${at}.txt`, `text ${at}\n`);
    put(`${options.folder}/script.json`, JSON.stringify(scriptOf(finished, pieces)));
    put(`${options.folder}/home/settings.json`, '{"sandbox": {"mode": "off"}, "permissions": {"mode": "auto"}}');
  }

  cinch(): PseudoTerminal {
    return this.#open([this.#options.cinch, "-m", `scripted/${this.#options.folder}/script.json`]);
  }

  bare(program: string): PseudoTerminal {
    return this.#open(["-e", program]);
  }

  #open(args: readonly string[]): PseudoTerminal {
    const { folder, env } = this.#options;
    const variables = { PATH: env["PATH"] ?? "", HOME: folder, CINCH_HOME: `${folder}/home` };
    const start = `${folder}/start-${this.#count++}`;
    return new PseudoTerminal({ argv: [process.execPath, ...args], cwd: this.project, env: variables, start });
  }
}

function scriptOf(finished: number, pieces: number): object[] {
  const before = Array.from({ length: finished }, (_, at) => ({
    text: `Message **${at + 1}**: a sentence about \`f${at}.txt\`, and what follows from it.`,
    calls: [{ tool: "read_file", input: { path: `f${at}.txt` } }],
  }));
  const rows = Array.from(
    { length: 98 },
    (_, at) => `- row ${at + 2} of it, with **words** in it and more of them, nearly a line`,
  );
  const text = ["- begins here", ...rows, "- ends here"].join("\n");
  return [...before, { text, chunk: Math.ceil(text.length / pieces), delay_ms: 4 }];
}

async function startTime(open: PseudoTerminal): Promise<number> {
  const began = performance.now();
  try {
    return (await open.until(() => open.output.includes(prompt))) - began;
  } finally {
    await open.end();
  }
}

/** One key at a time: a letter is typed, seen and erased. */
async function pressed(terminal: PseudoTerminal, count: number): Promise<number> {
  const from = terminal.output.length;
  const letter = letters[count % letters.length] ?? "Q";
  const began = performance.now();
  terminal.type(letter);
  const echoed = await terminal.until(() => terminal.output.includes(letter, from));
  terminal.type("\x7f");
  return echoed - began;
}

async function streamed(place: Place, { pieces }: TerminalLoad, typing: boolean) {
  const terminal = place.cinch();
  try {
    await terminal.until(() => terminal.output.includes(prompt));
    terminal.type("go\r");
    await terminal.until(() => terminal.output.includes("begins here"));
    // The end may have come in the same piece.
    const [from, spent] = [terminal.output.indexOf("begins here"), terminal.cpu()];
    const over = () => terminal.output.includes("ends here", from);
    const echoes: number[] = [];
    if (!typing) await terminal.until(over);
    for (let count = 0; typing && (count === 0 || !over()) && count < pieces; count++) {
      echoes.push(await pressed(terminal, count));
      await new Promise((resolve) => setTimeout(resolve, keyEvery));
    }
    const cpu = terminal.cpu() - spent;
    const cleared = terminal.output.match(/\x1b\[[23]J|\x1bc/g)?.length ?? 0;
    return { kilobytes: (terminal.output.length - from) / 1_000, cleared, cpu, echoes };
  } finally {
    await terminal.end();
  }
}

async function bareEchoes(place: Place, keys: number): Promise<number[]> {
  const terminal = place.bare(echoing);
  try {
    await terminal.until(() => terminal.output.includes(prompt));
    const echoes: number[] = [];
    for (let count = 0; count < keys; count++) {
      echoes.push(await pressed(terminal, count));
      await new Promise((resolve) => setTimeout(resolve, keyEvery));
    }
    return echoes;
  } finally {
    await terminal.end();
  }
}

const keysForNames = 50;

/** The names that fit are drawn with the key, so its echo is theirs. */
async function completed(place: Place, files: number): Promise<number[]> {
  for (let at = 0; at < files; at++) {
    const directory = `${place.project}/part${Math.floor(at / 500)}`;
    if (at % 500 === 0) nodeFs.mkdirSync(directory);
    nodeFs.closeSync(nodeFs.openSync(`${directory}/name${at}.txt`, "w"));
  }
  const terminal = place.cinch();
  try {
    await terminal.until(() => terminal.output.includes(prompt));
    terminal.type("@name");
    await terminal.until(() => /part\d+\/name\d+\.txt/.test(terminal.output));
    const times: number[] = [];
    for (let count = 0; count < keysForNames; count++) {
      const from = terminal.output.length;
      const typed = `@name${count * 7}`;
      terminal.type(`\x15${typed}`);
      await terminal.until(() => terminal.output.includes(typed, from));
      const began = performance.now();
      terminal.type(".");
      times.push((await terminal.until(() => terminal.output.includes(`${typed}.`, from))) - began);
    }
    return times;
  } finally {
    await terminal.end();
  }
}
