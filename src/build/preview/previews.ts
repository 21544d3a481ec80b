// What is shown of a project, one at a time: started by a command of its stack or its plan, or, for a page alone, served by
// Cinch itself; asked whether it answers, and ended.
// Invariants: what is said of it is what was just seen, never what was hoped, and of the command that was started, never of a
// stranger at its port; a second one begins when nothing of the first runs any more, also of one that an earlier Cinch has left
// detached; whatever can be reached from elsewhere is ended. A command is one of the session's tasks and ends with it.
// Not here: whether the command may run (its door says that), what a browser makes of it (verify/).

import { join } from "node:path";
import * as z from "zod";
import { Cancelled, messageOf, UserError } from "../../core/errors.js";
import type { Clock } from "../../core/ids.js";
import type { JsonObject } from "../../core/json.js";
import type { Fs } from "../../lib/fs.js";
import { readSmall } from "../../lib/small-file.js";
import type { FindCommands, PreviewState, PreviewStatus, Previews, RunningCommand, StartCommand } from "../ports.js";
import { type Directory, type Start, startAsSaid, startOf } from "../stacks.js";
import { type FileServer, serveFolder } from "./file-server.js";
import { freePort, localAddress } from "./free-port.js";
import { isExposed, type ProbeAnswer, probe } from "./probe.js";

export interface PreviewOptions {
  root: string;
  disk: Fs;
  clock: Clock;
  start: StartCommand;
  find: FindCommands;
}

type Asked = Parameters<Previews["start"]>[0];

interface Shown {
  stack: string;
  port: number;
  path: string;
  detach: boolean;
  /** Another program than the command listens for it, so that whose listener it is says nothing. */
  throughOther: boolean;
  running: RunningCommand | FileServer;
}

/** What is said about a command, so that a later Cinch finds it. */
const aboutForm = z.strictObject({
  preview: z.strictObject({
    stack: z.string(),
    port: z.int().min(1).max(65_535),
    path: z.string().startsWith("/"),
    throughOther: z.boolean(),
  }),
});

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
      await this.#findLeft();
      if (this.#shown) await this.#end(this.#shown, "Another one took its place.");
      try {
        return await this.#start(app, AbortSignal.any([signal, starting.signal]));
      } finally {
        if (this.#starting === starting) this.#starting = undefined;
      }
    });
  }

  /** What an earlier Cinch has left running here is the one that is shown. */
  async #findLeft(): Promise<void> {
    if (this.#shown) return;
    for (const { about, running } of await this.#options.find()) {
      const { data } = aboutForm.safeParse(about);
      if (data && !this.#shown) this.#shown = { ...data.preview, detach: true, running };
    }
  }

  #inLine(work: () => Promise<PreviewStatus>): Promise<PreviewStatus> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => undefined);
    return done;
  }

  async #start({ start: said, path = "/", detach = false }: Asked, signal: AbortSignal): Promise<PreviewStatus> {
    const { root, disk } = this.#options;
    const found =
      said === undefined ? await startOf(directoryAt(disk, root), freePort) : await startAsSaid(said, freePort);
    if (!found) {
      const what = "Nothing here is known to be an application: no start is known, and there is no index.html.";
      this.#last = { state: "stopped", url: null, stack: null, status: null, what };
      return this.#last;
    }
    const { stack, port, seconds, throughOther = false } = found;
    if (signal.aborted) throw new Cancelled();
    const about = { stack, port, path, throughOther };
    this.#shown = { ...about, detach, running: await this.#run(found, { about, detach, signal }) };
    return this.#untilHealthy(this.#shown, seconds, signal);
  }

  async #run(
    { way, stack, port }: Start,
    { about, detach, signal }: { about: JsonObject; detach: boolean; signal: AbortSignal },
  ): Promise<RunningCommand | FileServer> {
    const { root, disk, start } = this.#options;
    if ("command" in way)
      return start(way.command, { title: `preview (${stack})`, detach, about: { preview: about }, signal });
    if (!detach)
      return serveFolder(disk, join(root, way.folder), port).catch((error: unknown) => {
        throw new UserError(`The page cannot be served at ${localAddress}:${port}: ${messageOf(error)}.`, undefined, 1);
      });
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
      if (answer && (await isOwn(shown)) === false) return this.#endBesideStranger(shown);
      if (answer && (await isExposed(shown.port))) return this.#endExposed(shown);
      if (answer && !soon.includes(answer.status)) return this.status();
      if (clock.mono() > until) return this.#put(shown, "unhealthy", answer, await this.#silence(shown, seconds));
      await clock.sleep(pollMs, signal).catch(() => undefined);
    }
    return this.#end(shown, "It was stopped before it answered.");
  }

  async #endBesideStranger(shown: Shown): Promise<never> {
    const { message, fix } = strangerAt(shown);
    await this.#end(shown, message);
    throw new UserError(message, fix, 1);
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
    await this.#findLeft();
    const shown = this.#shown;
    if (!shown) return this.#last;
    const answer = await probe(shown.port, shown.path);
    const end = await endOf(shown);
    if (this.#shown !== shown) return this.#last;
    if (end !== null) return this.#put(shown, "unhealthy", null, end);
    const own = answer && (await isOwn(shown));
    if (answer && own === false) return this.#put(shown, "unhealthy", null, strangerAt(shown).message);
    const doubt = own === null ? " Whether it is this command that answers cannot be told here." : "";
    if (answer && answer.status < 400)
      return this.#put(shown, "healthy", answer, `It answers (${answer.status}).${doubt}`);
    const isSoon = !answer || soon.includes(answer.status);
    if (this.#starting && isSoon) return this.#put(shown, "starting", answer, "It has not answered yet.");
    if (!answer) return this.#put(shown, "unhealthy", null, `It does not answer.${await printed(shown.running)}`);
    const said = answer.body.trim() === "" ? "" : `\n${answer.body.trim()}`;
    const what = `It answers ${answer.status}.${said}${await printed(shown.running)}`;
    return this.#put(shown, "unhealthy", answer, what);
  }

  stop({ keepDetached = false } = {}): Promise<PreviewStatus> {
    this.#starting?.abort();
    return this.#inLine(async () => {
      if (!keepDetached) await this.#findLeft();
      const isMeant = this.#shown && !(keepDetached && this.#shown.detach);
      return this.#shown && isMeant ? this.#end(this.#shown, "It was stopped.") : this.#last;
    });
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

/** Is it what was started that listens at its port? null = that cannot be told. */
async function isOwn({ running, port, throughOther }: Shown): Promise<boolean | null> {
  if (!("listens" in running)) return true;
  return throughOther ? null : running.listens(port);
}

function strangerAt({ port }: Shown): { message: string; fix: string } {
  return {
    message: `A program that this command did not start answers at ${localAddress}:${port}: it took the port before the command did.`,
    fix: "Start it again: another port is looked for.",
  };
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

function directoryAt(disk: Fs, root: string): Directory {
  return {
    has: (path) => disk.existsSync(join(root, path)),
    text: (path) => readSmall(disk, join(root, path), maxRead)?.text ?? null,
  };
}
