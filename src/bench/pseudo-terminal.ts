// A program on a terminal of 80x24, seen from outside: what it writes, when, and what CPU it takes. The terminal is the one that
// `script` of util-linux makes. It answers nothing: a program that waits for an answer of its terminal waits in vain.
// Invariant: whoever opened it ends it; the program gets a hang-up then.

import { writeAll } from "../lib/atomic-file.js";
import { nodeFs } from "../lib/fs.js";
import { beginGroup, exitOf, type Group } from "../lib/process.js";
import { endGroup } from "../lib/process-group.js";

export interface PseudoTerminalOptions {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** A file of its own. */
  start: string;
}

/** Linux, because CPU is read in /proc and other systems' `script` takes other words. */
export function hasPseudoTerminals(path: string): boolean {
  const directories = path.split(":").filter((each) => each.startsWith("/"));
  return process.platform === "linux" && directories.some((each) => nodeFs.existsSync(`${each}/script`));
}

const patience = 60_000;

export class PseudoTerminal {
  /** Everything it wrote, a character a byte. */
  output = "";
  readonly #group: Group;
  readonly #pidFile: string;
  #heard: () => void = () => {};
  #over = false;

  constructor({ argv, cwd, env, start }: PseudoTerminalOptions) {
    this.#pidFile = `${start}.pid`;
    const quoted = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const fd = nodeFs.openSync(start, "w");
    writeAll(nodeFs, fd, Buffer.from(`stty rows 24 cols 80\necho $$ > '${this.#pidFile}'\nexec ${quoted}\n`));
    nodeFs.closeSync(fd);
    const shell = { ...env, TERM: "xterm-256color", SHELL: "/bin/sh" };
    const words = ["-qec", `. '${start}'`, "/dev/null"];
    const group = beginGroup("script", words, { cwd, env: shell, over: "stdio" });
    if (group.pid === undefined) throw new Error("script could not be started");
    this.#group = group;
    group.input.on("error", () => {});
    group.output.on("data", (bytes: Buffer) => {
      this.output += bytes.toString("latin1");
      this.#heard();
    });
    void exitOf(group.child).finally(() => {
      this.#over = true;
      this.#heard();
    });
  }

  type(text: string): void {
    this.#group.input.write(text);
  }

  /** The time at which it had written what fits. */
  async until(fits: () => boolean): Promise<number> {
    const hung = performance.now() + patience;
    while (!fits()) {
      const why = this.#over ? "The program ended early" : performance.now() > hung ? "The program hangs" : null;
      if (why !== null) throw new Error(`${why}. It wrote: ${JSON.stringify(this.output.slice(-500))}`);
      await this.#more();
    }
    return performance.now();
  }

  /** Milliseconds of CPU so far, all its threads. */
  cpu(): number {
    const tasks = `/proc/${nodeFs.readFileSync(this.#pidFile, "utf8").trim()}/task`;
    const times = nodeFs.readdirSync(tasks).map((each) => nodeFs.readFileSync(`${tasks}/${each}/schedstat`, "utf8"));
    return times.reduce((sum, text) => sum + Number(text.split(" ")[0]) / 1e6, 0);
  }

  async end(): Promise<void> {
    const pid = nodeFs.existsSync(this.#pidFile) ? Number(nodeFs.readFileSync(this.#pidFile, "utf8")) : 0;
    // It leads a session of its own.
    if (pid > 0) await endGroup(pid, 5_000);
    await endGroup(this.#group.pid, 5_000);
    this.#group.output.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, 1_000);
      this.#heard = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}
