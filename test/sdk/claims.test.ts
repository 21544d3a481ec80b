// Two agents on one project (cases 41 to 45): who has a file, who is refused, when it is free again, and what is told.

import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HarnessOptions, Session } from "../../src/index.js";
import { resultText, type Stage, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

interface Pair {
  /** Has begun its run, changed what it was told to, and waits for its model. */
  one: Stage & { session: Session; running: ReturnType<Session["send"]> };
  two: Stage;
  /** A session of the second agent, in the project of the first. */
  open(options?: Partial<HarnessOptions>): Promise<Session>;
  at(name: string): string;
  claims(): string[];
}

/** One agent in the middle of a run after `calls`; another that will answer with `script`. */
async function pair(calls: WireReply["calls"], script: (root: string) => WireReply[]): Promise<Pair> {
  const one = await stage([{ calls: calls ?? [] }, { stallAfter: 0 }]);
  writeFileSync(join(one.root, "a.js"), "a\n");
  const session = await one.open();
  const running = session.send("one");
  await until(() => one.server.requests.length === 2);
  const two = await stage(script(one.root));
  const state = join(one.home, "claims");
  return {
    one: { ...one, session, running },
    two,
    open: (options) => two.open({ cwd: one.root, home: one.home, ...options }),
    at: (name) => join(one.root, name),
    claims: () => (existsSync(state) ? readdirSync(state).flatMap((key) => readdirSync(join(state, key))) : []),
  };
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const append = (id: string, path: string) => ({ id, name: "append_file", input: { path, content: "more\n" } });
const claim = (id: string, paths: string[], release?: boolean) => ({
  id,
  name: "claim_files",
  input: release ? { paths, release } : { paths },
});

describe("a file that another agent is changing", () => {
  it("41, 42: is refused by every name it has, names the owner, stays as it is; the event comes once", async () => {
    const writes = (root: string) =>
      ["./a.js", join(root, "a.js"), "link/a.js", "link/alias.js"].map((path, i) => append(`c${i}`, path));
    const edit = {
      id: "e",
      name: "edit_file",
      input: { path: "a.js", old_string: "a", new_string: "b", replace_all: true },
    };
    const others = [edit, { id: "w", name: "write_file", input: { path: "a.js", content: "x" } }];
    const remove = { id: "d", name: "delete_file", input: { path: "a.js" } };
    const { one, two, open, at } = await pair([append("x", "a.js")], (root) => [
      { calls: [...writes(root), ...others, remove, append("free", "b.js")] },
    ]);
    symlinkSync(".", at("link"));
    symlinkSync("a.js", at("alias.js"));
    await (await open()).send("two");
    const last = two.bodies().at(-1);
    for (const id of ["c0", "c1", "c2", "c3", "e", "w", "d"]) {
      expect(resultText(last, id)).toMatch(
        new RegExp(
          `^CONFLICT: a\\.js is being worked on by main \\(session ${one.session.id.slice(0, 8)}, process \\d+\\)`,
        ),
      );
    }
    expect(readFileSync(at("a.js"), "utf8")).toBe("a\nmore\n");
    expect(readFileSync(at("b.js"), "utf8")).toBe("more\n");
    const refused = two.events.filter((event) => event.type === "claim.refused");
    expect(refused).toEqual([expect.objectContaining({ path: at("a.js"), owner: expect.stringContaining("main") })]);
    const statuses = two.events.flatMap((event) => (event.type === "call.end" ? event.status : []));
    expect(statuses).toEqual([...Array(7).fill("conflict"), "ok"]);
    one.session.cancel();
    await one.running;
  });

  it("43: is free when the run of the other ends, however it ends", async () => {
    const { one, two, open, at, claims } = await pair([append("x", "a.js")], () => [
      { calls: [append("c", "a.js")] },
      { text: "ok" },
      { calls: [append("d", "a.js")] },
    ]);
    const session = await open();
    await session.send("two");
    expect(resultText(two.bodies().at(-1), "c")).toContain("CONFLICT");
    one.session.cancel();
    expect((await one.running).subtype).toBe("error_cancelled");
    expect(claims().filter((name) => name.endsWith(".json"))).toEqual([]);
    await session.send("again");
    expect(resultText(two.bodies().at(-1), "d")).not.toContain("CONFLICT");
    expect(readFileSync(at("a.js"), "utf8")).toBe("a\nmore\nmore\n");
    await Promise.all([one.session.close(), session.close()]);
    expect(claims()).toEqual([]);
  });

  it("of two agents that edit one file at once exactly one wins, and nothing is mixed", async () => {
    const script = (to: string) => [
      { calls: [{ id: "r", name: "read_file", input: { path: "a.js" } }] },
      { calls: [{ id: "e", name: "edit_file", input: { path: "a.js", old_string: "a", new_string: to } }] },
    ];
    const [one, two] = [await stage(script("one")), await stage(script("two"))];
    writeFileSync(join(one.root, "a.js"), "a\n");
    const sessions = [await one.open(), await two.open({ cwd: one.root, home: one.home })];
    await Promise.all(sessions.map((session) => session.send("edit")));
    const statuses = [one, two].map(
      ({ events }) =>
        events.flatMap((event) => (event.type === "call.end" && event.call === "e" ? event.status : []))[0],
    );
    const winner = statuses.indexOf("ok");
    expect(statuses[1 - winner]).toMatch(/conflict|error/);
    expect(readFileSync(join(one.root, "a.js"), "utf8")).toBe(`${["one", "two"][winner]}\n`);
  });

  it("44: is no place for the output of a command", async () => {
    const run = (id: string, command: string) => ({ id, name: "run_command", input: { command } });
    const { one, two, open, at } = await pair([append("x", "a.js")], () => [
      {
        calls: [run("c", "echo ran > ran; echo b > ./a.js"), run("t", "echo b | tee -a a.js"), run("r", "cat a.js")],
      },
    ]);
    await (await open()).send("two");
    for (const id of ["c", "t"]) {
      expect(resultText(two.bodies().at(-1), id)).toMatch(/^CONFLICT: a\.js .* Nothing was run\./);
    }
    expect(resultText(two.bodies().at(-1), "r")).toBe("a\nmore");
    expect([readFileSync(at("a.js"), "utf8"), existsSync(at("ran"))]).toEqual(["a\nmore\n", false]);
    one.session.cancel();
    await one.running;
  });

  it("45: is told once at the beginning of a run, behind the block, and again when it changed", async () => {
    const { one, two, open } = await pair([append("x", "a.js"), append("y", "b.js")], () => [
      { text: "1" },
      { text: "2" },
      { text: "3" },
    ]);
    const session = await open();
    await session.send("first");
    await session.send("second");
    one.session.cancel();
    await one.running;
    await session.send("third");
    const [first, second, third] = two.bodies().map((body) => JSON.stringify(body.messages));
    const owner = `main \\(session ${one.session.id.slice(0, 8)}, process ${process.pid}\\)`;
    expect(first).toMatch(
      new RegExp(`Other agents are changing these files.*- b\\.js: ${owner}.*- a\\.js: ${owner}.*first`),
    );
    expect(
      two
        .bodies()[0]
        ?.system.map(({ text }) => text)
        .join(""),
    ).not.toContain("Other agents");
    expect(second?.split("Other agents")).toHaveLength(2);
    expect(third).toMatch(/No files are being changed by other agents any more\..*third/);
  });
});

describe("claim_files", () => {
  it("keeps files beyond the run, is written down, and gives them back", async () => {
    const { two, one, open, at } = await pair([append("x", "b.js")], () => [
      { calls: [claim("c", ["a.js", "./a.js", "new.js"])] },
      { text: "ok" },
      { calls: [{ id: "u", name: "use_tool", input: { name: "claim_files", input: { paths: ["b.js"] } } }] },
      { text: "ok" },
      { calls: [claim("r", ["a.js", "b.js"], true)] },
    ]);
    const session = await open();
    await session.send("claim");
    expect(resultText(two.bodies().at(-1), "c")).toBe("claimed a.js, new.js");
    await session.send("try");
    expect(resultText(two.bodies().at(-1), "u")).toContain("CONFLICT: b.js");
    const held = two.events.flatMap((event) => (event.type === "claim.held" ? event.path : []));
    expect(held).toEqual([at("a.js"), at("new.js")]);

    const three = await stage([{ calls: [append("n", "new.js")] }, { text: "ok" }, { calls: [append("m", "a.js")] }]);
    const third = await three.open({ cwd: one.root, home: one.home });
    await third.send("three");
    expect(resultText(three.bodies().at(-1), "n")).toContain(`session ${session.id.slice(0, 8)}`);
    expect(existsSync(at("new.js"))).toBe(false);

    await session.send("release");
    expect(resultText(two.bodies().at(-1), "r")).toBe("released a.js; not claimed by you: b.js");
    await third.send("again");
    expect(resultText(three.bodies().at(-1), "m")).not.toContain("CONFLICT");
    one.session.cancel();
    await one.running;
    await session.close();
    const log = readFileSync(logOf(one.home, session.id), "utf8");
    const entries = log.split("\n").flatMap((line) => (line.includes('"type":"claim"') ? JSON.parse(line).data : []));
    expect(entries.map(({ path, until }) => [path, typeof until])).toEqual([
      [at("a.js"), "object"],
      [at("new.js"), "object"],
      [at("a.js"), "number"],
    ]);
  });

  it("asks nobody, and is not there to change what one has not", async () => {
    const { two, one, open } = await pair([append("x", "b.js")], () => [
      { calls: [claim("c", ["a.js"]), claim("o", ["../a.js"]), claim("d", ["."])] },
    ]);
    await (await open({ settings: { permissions: { mode: "ask" } } })).send("claim");
    const last = two.bodies().at(-1);
    expect(resultText(last, "c")).toBe("claimed a.js");
    expect(resultText(last, "o")).toContain("outside the project");
    expect(resultText(last, "d")).toContain("is a directory");
    one.session.cancel();
    await one.running;
  });
});

function logOf(home: string, id: string): string {
  const project = readdirSync(join(home, "sessions"))[0] ?? "";
  return join(home, "sessions", project, `${id}.jsonl`);
}
