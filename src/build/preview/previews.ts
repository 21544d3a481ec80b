// What is shown of a project, one at a time: started by a command of its stack or its plan, or, for a page alone, served by
// Cinch itself; asked whether it answers, and ended.
// Invariants: what is said of it is what was just seen, never what was hoped; a second one begins when nothing of the first
// runs any more; whatever can be reached from elsewhere is ended. A command is one of the session's tasks and ends with it.
// Not here: whether the command may run (its door says that), what a browser makes of it (verify/).

import { join } from "node:path";
import { Cancelled, UserError } from "../../core/errors.js";
import type { Clock } from "../../core/ids.js";
import type { Fs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";
import type { PreviewState, PreviewStatus, Previews, RunningCommand, StartCommand } from "../ports.js";
import { type Ground, type Start, startAsSaid, startOf } from "../stacks.js";
import { type FileServer, serveFolder } from "./file-server.js";
import { freePort, localAddress } from "./free-port.js";
import { isExposed, type ProbeAnswer, probe } from "./probe.js";

export interface PreviewOptions {
  root: string;
  disk: Fs;
  clock: Clock;
  start: StartCommand;
}

type Asked = Parameters<Previews["start"]>[0];

interface Shown {
  stack: string;
  port: number;
  path: string;
  running: RunningCommand | FileServer;
}

const pollMs = 100;
/** Of what it printed. */
const tailBytes = 2_000;
/** Server errors of a program that is about to answer. */
const soon = [502, 503];

export class ProjectPreviews implements Previews {
  readonly #options: PreviewOptions;
  #shown: Shown | undefined;
  /** Ends the start that is under way. */
  #starting: AbortController | undefined;
  /** One after another. */
  #line: Promise<unknown> = Promise.resolve();
  /** What became of the one before, while there is none. */
  #last: PreviewStatus = { state: "stopped", url: null, stack: null, status: null, what: "There is no preview." };

  constructor(options: PreviewOptions) {
    this.#options = options;
  }

  start(app: Asked, signal: AbortSignal): Promise<PreviewStatus> {
    this.#starting?.abort();
    const starting = new AbortController();
    this.#starting = starting;
    return this.#inLine(async () => {
      if (this.#shown) await this.#end(this.#shown, "Another one took its place.");
      try {
        return await this.#start(app, AbortSignal.any([signal, starting.signal]));
      } finally {
        if (this.#starting === starting) this.#starting = undefined;
      }
    });
  }

  #inLine(work: () => Promise<PreviewStatus>): Promise<PreviewStatus> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }

  async #start({ start: said, path = "/", detach = false }: Asked, signal: AbortSignal): Promise<PreviewStatus> {
    const { root, disk } = this.#options;
    const found =
      said === undefined ? await startOf(groundOf(disk, root), freePort) : await startAsSaid(said, freePort);
    if (!found) {
      const what = "Nothing here is known to be an application: no start is known, and there is no index.html.";
      this.#last = { state: "stopped", url: null, stack: null, status: null, what };
      return this.#last;
    }
    const { stack, port, seconds } = found;
    if (signal.aborted) throw new Cancelled();
    this.#shown = { stack, port, path, running: await this.#run(found, detach, signal) };
    return this.#untilHealthy(this.#shown, seconds, signal);
  }

  async #run({ way, stack, port }: Start, detach: boolean, signal: AbortSignal): Promise<RunningCommand | FileServer> {
    const { root, disk, start } = this.#options;
    if ("command" in way) return start(way.command, { title: `preview (${stack})`, detach, signal });
    if (!detach) return serveFolder(disk, join(root, way.folder), port);
    throw new UserError(
      "Cinch itself serves this page, so it ends with Cinch. Nothing was started.",
      "Start it without detach, or name a start command in the plan.",
      1,
    );
  }

  async #untilHealthy(shown: Shown, seconds: number, signal: AbortSignal): Promise<PreviewStatus> {
    const { clock } = this.#options;
    const until = clock.mono() + seconds * 1_000;
    while (!signal.aborted) {
      const answer = await probe(shown.port, shown.path);
      const end = await endOf(shown);
      if (end !== null) return this.#put(shown, "unhealthy", null, end);
      if (answer && (await isExposed(shown.port))) return this.#endExposed(shown);
      if (answer && !soon.includes(answer.status)) return this.status();
      if (clock.mono() > until) return this.#put(shown, "unhealthy", answer, await this.#silence(shown, seconds));
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
    return this.#end(shown, "It was stopped before it answered.");
  }

  async #endExposed(shown: Shown): Promise<PreviewStatus> {
    const how = "has to listen on HOST (127.0.0.1) at PORT, as its environment says";
    await this.#end(shown, "");
    const what = `It listened on every address of this machine, so that others could reach it, and was ended: it ${how}.`;
    this.#last = { ...this.#last, state: "unhealthy", what };
    return this.#last;
  }

  async #silence({ port, running }: Shown, seconds: number): Promise<string> {
    return `Nothing answers at ${localAddress}:${port} after ${seconds} s.${await printed(running)}`;
  }

  async status(): Promise<PreviewStatus> {
    const shown = this.#shown;
    if (!shown) return this.#last;
    const answer = await probe(shown.port, shown.path);
    const end = await endOf(shown);
    if (this.#shown !== shown) return this.#last;
    if (end !== null) return this.#put(shown, "unhealthy", null, end);
    if (answer && answer.status < 400) return this.#put(shown, "healthy", answer, `It answers (${answer.status}).`);
    const isSoon = !answer || soon.includes(answer.status);
    if (this.#starting && isSoon) return this.#put(shown, "starting", answer, "It has not answered yet.");
    if (!answer) return this.#put(shown, "unhealthy", null, `It does not answer.${await printed(shown.running)}`);
    const said = answer.body.trim() === "" ? "" : `\n${answer.body.trim()}`;
    const what = `It answers ${answer.status}.${said}${await printed(shown.running)}`;
    return this.#put(shown, "unhealthy", answer, what);
  }

  stop(): Promise<PreviewStatus> {
    this.#starting?.abort();
    return this.#inLine(async () => (this.#shown ? this.#end(this.#shown, "It was stopped.") : this.#last));
  }

  async #end(shown: Shown, what: string): Promise<PreviewStatus> {
    await ("stop" in shown.running ? shown.running.stop() : shown.running.close());
    if (this.#shown === shown) this.#shown = undefined;
    return this.#put(shown, "stopped", null, what);
  }

  #put({ stack, port, path }: Shown, state: PreviewState, answer: ProbeAnswer | null, what: string): PreviewStatus {
    const url = `http://${localAddress}:${port}${path}`;
    this.#last = { state, url, stack, status: answer?.status ?? null, what };
    return this.#last;
  }
}

/** Null: it runs. */
async function endOf({ running }: Shown): Promise<string | null> {
  if (!("ended" in running)) return null;
  const end = await running.ended();
  if (end === null) return null;
  return `It has ended${end.code === null ? "" : ` with exit code ${end.code}`}.${await printed(running)}`;
}

async function printed(running: RunningCommand | FileServer): Promise<string> {
  const text = "tail" in running ? (await running.tail(tailBytes)).trim() : "";
  return text === "" ? "" : `\nIt printed last:\n${text}`;
}

/** No file is read for this that is larger than any of its kind. */
const maxRead = 256 * 1024;

function groundOf(disk: Fs, root: string): Ground {
  return {
    has: (path) => disk.existsSync(join(root, path)),
    text: (path) => readSmall(disk, join(root, path), maxRead)?.text ?? null,
  };
}
