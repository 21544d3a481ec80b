// Claims of other processes: real ones, alive and killed. What a dead process held is free, and of several that ask at the
// same time one gets the file.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { build } from "esbuild";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { agent, dir, files, freshClaims, root } from "../../../test/support/claims.js";
import { refusal } from "../../../test/support/refusal.js";

beforeEach(freshClaims);

describe("other processes", () => {
  it("are named while they live; killed, they hold nothing", async () => {
    const other = await process2("c0ffee000000");
    await other.say("hold a.js");
    await other.say("take b.js");
    const one = agent("1");
    expect(refusal(() => one.take("a.js")).message).toContain(`main (session c0ffee00, process ${other.pid})`);
    const text = one.claims.othersText(1_000);
    expect(text).toContain(`- b.js: main (session c0ffee00, process ${other.pid})`);
    expect(text).toContain("- a.js: main");
    await other.kill();
    const two = agent("2");
    two.take("b.js");
    one.take("a.js");
    expect(one.claims.othersText(1_000)).not.toContain("c0ffee");
    one.claims.close();
    two.claims.close();
    expect(files()).toEqual([]);
  });

  it("that were killed are cleared away by a look around", async () => {
    const other = await process2("c0ffee000000");
    await other.say("hold a.js");
    await other.kill();
    expect(files()).toHaveLength(2);
    const one = agent("1");
    expect(one.claims.othersText(1_000)).toBe("");
    one.claims.close();
    expect(files()).toEqual([]);
  });

  it("at the same time: one gets the file, whether it was free or a dead process had it", async () => {
    const others = await Promise.all(Array.from({ length: 5 }, (_, i) => process2(`${i}0000000`)));
    for (let round = 0; round < 8; round++) {
      const path = `race-${round}.js`;
      if (round % 2 === 1) await abandoned(path);
      const answers = await Promise.all(others.map((other) => other.say(`take ${path}`)));
      expect(answers.filter((answer) => answer === "ours")).toHaveLength(1);
    }
    await Promise.all(others.map((other) => other.kill()));
  });
});

/** Leaves the claim of a killed process on the path. */
async function abandoned(path: string): Promise<void> {
  const other = await process2("dead00000000");
  await other.say(`take ${path}`);
  await other.kill();
}

interface Other {
  pid: number;
  /** `take <path>` or `hold <path>`; answers `ours` or `conflict`. */
  say(order: string): Promise<string>;
  /** kill -9. */
  kill(): Promise<void>;
}

let program: Promise<string> | undefined;

async function process2(session: string): Promise<Other> {
  program ??= bundled();
  const code = await program;
  const child = spawn(process.execPath, ["--input-type=module", "-", session, root, dir], {
    stdio: ["pipe", "pipe", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin?.end(code);
  await once(child, "message");
  return {
    pid: child.pid ?? 0,
    async say(order) {
      const answer = once(child, "message");
      child.send(order);
      return String((await answer)[0]);
    },
    kill: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

async function bundled(): Promise<string> {
  const contents = `
    import { AgentClaims } from "./claims.js";
    const [session, root, dir] = process.argv.slice(2);
    const claims = new AgentClaims({ root, dir, session, agent: "main", now: Date.now, emit() {}, record() {} });
    process.on("message", (order) => {
      const [verb, path] = order.split(" ");
      try {
        const places = claims.locate([path]);
        if (verb === "hold") claims.hold(places); else claims.take(places[0]);
        process.send("ours");
      } catch (error) { process.send(error.kind ?? String(error)); }
    });
    process.send("ready");`;
  const stdin = { contents, resolveDir: import.meta.dirname, loader: "ts" } as const;
  const result = await build({ stdin, bundle: true, platform: "node", format: "esm", write: false });
  return result.outputFiles[0]?.text ?? "";
}
