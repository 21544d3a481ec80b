// Answers command lines of everyday programs for reading, without starting a shell or any of the programs: what runs unasked
// where nothing can be put around a command.
// Invariant: a line is answered whole or not at all, decided by its text alone; its output is the one that bash would give.

import { type Answer, type Applet, AppletError, type AppletFiles, type AppletRun, absolute } from "./applet.js";
import { gitApplet } from "./git.js";
import { type Pipeline, readLine, type Stage } from "./line.js";
import { listApplets } from "./list.js";
import { matchApplets } from "./match.js";
import { shellApplets } from "./shell.js";
import { showApplets } from "./show.js";

export { AppletError, type AppletFiles, type Found } from "./applet.js";

const applets: Readonly<Record<string, Applet>> = {
  ...shellApplets,
  ...showApplets,
  ...listApplets,
  ...matchApplets,
  git: gitApplet,
};

interface Part {
  stage: Stage;
  answer: Answer | { to: string };
}

export interface AppletLine {
  /** The words of each command, in order. */
  words: readonly (readonly string[])[];
  /** To the exit code of the last command. */
  run(cwd: string, surroundings: Surroundings): Promise<number>;
}

export interface Surroundings {
  files: AppletFiles;
  now: number;
  breathe(): Promise<void>;
  /** Gets what the line prints, as it comes. Throws when it is too much. */
  push(bytes: Buffer, from: "out" | "err"): void;
}

/** Bytes that one command hands to the next at most. */
const maxPiped = 64 * 1024 * 1024;

export function appletLine(text: string): AppletLine | null {
  const pipelines = readLine(text);
  if (!pipelines || pipelines.length === 0) return null;
  const parts = pipelines.map(({ joint, stages }) => ({ joint, parts: partsOf(stages) }));
  if (parts.some((each) => each.parts === null)) return null;
  const words = pipelines.flatMap(({ stages }) => stages.map((stage) => stage.words));
  return {
    words,
    async run(cwd, surroundings) {
      const state = { cwd, exit: 0 };
      for (const each of parts) {
        if (each.joint === "&&" && state.exit !== 0) continue;
        if (each.joint === "||" && state.exit === 0) continue;
        await runPipeline(each.parts ?? [], state, surroundings);
      }
      return state.exit;
    },
  };
}

/** Is this one command, by itself, such a line? */
export function isAppletCommand(words: readonly string[]): boolean {
  return partsOf([{ words, out: "out", err: "err" }]) !== null;
}

function partsOf(stages: Pipeline["stages"]): Part[] | null {
  const parts: Part[] = [];
  for (const stage of stages) {
    const [name = "", ...words] = stage.words;
    const [to = ""] = words;
    const isMove = name === "cd" && stages.length === 1 && words.length === 1 && /^[^-]/.test(to);
    const applet = Object.hasOwn(applets, name) ? applets[name] : undefined;
    const answer = isMove ? { to } : (applet?.(words) ?? null);
    if (!answer) return null;
    parts.push({ stage, answer });
  }
  return parts;
}

async function runPipeline(
  parts: readonly Part[],
  state: { cwd: string; exit: number },
  surroundings: Surroundings,
): Promise<void> {
  let input: Buffer = Buffer.alloc(0);
  for (const [index, { stage, answer }] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const piped: Buffer[] = [];
    let size = 0;
    const toNext = (bytes: Buffer) => {
      size += bytes.length;
      if (size > maxPiped) throw new AppletError("more goes through the pipe than is kept in memory");
      piped.push(Buffer.from(bytes));
    };
    const outputs = {
      out: isLast ? (bytes: Buffer) => surroundings.push(bytes, "out") : toNext,
      err: (bytes: Buffer) => surroundings.push(bytes, "err"),
      null: () => {},
    };
    const run: AppletRun = {
      ...surroundings,
      ...{ cwd: state.cwd, input },
      out: (bytes) => outputs[stage.out](typeof bytes === "string" ? Buffer.from(bytes) : bytes),
      err: (text) => outputs[stage.err](Buffer.from(text)),
    };
    state.exit = typeof answer === "function" ? await answer(run) : move(run, answer.to, state);
    input = Buffer.concat(piped);
  }
}

function move({ files, err, cwd }: AppletRun, to: string, state: { cwd: string }): number {
  try {
    const { path, stat } = files.look(absolute(cwd, to));
    if (!stat.isDirectory()) throw new AppletError("Not a directory");
    state.cwd = path;
    return 0;
  } catch (error) {
    if (!(error instanceof AppletError)) throw error;
    err(`bash: line 1: cd: ${to}: ${error.message}\n`);
    return 1;
  }
}
