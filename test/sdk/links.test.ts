// Symbolic links and the file tools: written through where they lead inside, deleted as rm does, brought back by undo.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { faultyDisk } from "../support/faulty-disk.js";
import { resultText, type Stage, stage } from "../support/stage.js";
import { undo } from "../support/undo.js";
import type { WireReply } from "../support/wire/anthropic.js";

type Call = NonNullable<WireReply["calls"]>[number];

const call = (id: string, name: string, input: Call["input"]): Call => ({ id, name, input });
const remove = (path: string, id = "d") => call(id, "delete_file", { path });
const write = (path: string, content: string, id = "w") => call(id, "write_file", { path, content });

/** A project with `target.txt`, a directory, and links of all kinds; each group of calls is one message. */
async function play(...messages: Call[][]): Promise<Stage> {
  const set = await stage([...messages.map((calls) => ({ calls })), { text: "done" }]);
  const { root } = set;
  writeFileSync(join(root, "target.txt"), "target\n");
  writeFileSync(join(root, "..", "secret.txt"), "outside\n");
  mkdirSync(join(root, "dir"));
  writeFileSync(join(root, "dir", "inner.txt"), "inner\n");
  const links = { link: "target.txt", dirlink: "dir", out: "../secret.txt", dangling: "nowhere", loop: "loop" };
  for (const [name, to] of Object.entries(links)) symlinkSync(to, join(root, name));
  symlinkSync("..", join(root, "up"));
  return set;
}

const there = (set: Stage, name: string) => lstatSync(join(set.root, name), { throwIfNoEntry: false }) !== undefined;
const text = (set: Stage, name: string) => readFileSync(join(set.root, name), "utf8");

describe("deleting a link", () => {
  it.each([
    ["link", "target.txt"],
    ["dirlink", "dir"],
    ["out", "../secret.txt"],
    ["dangling", "nowhere"],
    ["loop", "loop"],
  ])("%s: the link goes, what it leads to stays, and undo brings it back and takes it away again", async (name, to) => {
    const set = await play([remove(name)]);
    const session = await set.open();
    const result = await session.send("go");
    await session.close();
    expect(resultText(set.bodies().at(-1), "d")).toBe(`deleted ${name}\nnote: a link to ${to}, which stays`);
    expect(there(set, name)).toBe(false);
    expect([text(set, "target.txt"), text(set, "dir/inner.txt"), text(set, "../secret.txt")]).toEqual([
      "target\n",
      "inner\n",
      "outside\n",
    ]);
    expect(result.files).toMatchObject([{ path: join(set.root, name), after: null, mode: { after: null } }]);
    await undo(set);
    expect(readlinkSync(join(set.root, name))).toBe(to);
    await undo(set);
    expect(there(set, name)).toBe(false);
  });

  it("is refused where the link itself is outside, and a slash behind it means the directory", async () => {
    const set = await play([remove("up/secret.txt", "o"), remove("dirlink/", "s"), remove("up/link", "u")]);
    symlinkSync("secret.txt", join(set.root, "..", "link"));
    await (await set.open()).send("go");
    const body = set.bodies().at(-1);
    expect(resultText(body, "o")).toContain("outside the project");
    expect(resultText(body, "u")).toContain("outside the project");
    expect(resultText(body, "s")).toContain("is a directory");
    expect([there(set, "../link"), there(set, "dirlink"), there(set, "../secret.txt")]).toEqual([true, true, true]);
  });

  it("is shown as what it is to whoever approves it", async () => {
    const set = await play([remove("link")]);
    const asked: string[] = [];
    const session = await set.open({
      settings: {},
      ask: async ({ summary }) => {
        asked.push(summary);
        return { decision: "deny" };
      },
    });
    await session.send("go");
    expect(asked).toEqual(["delete link (a link to target.txt, which stays)"]);
    expect(there(set, "link")).toBe(true);
  });

  it("does not happen when it became something else after the plan", async () => {
    const set = await play([remove("link")]);
    const session = await set.open({
      settings: {},
      ask: async () => {
        unlinkSync(join(set.root, "link"));
        writeFileSync(join(set.root, "link"), "theirs\n");
        return { decision: "allow" };
      },
    });
    await session.send("go");
    expect(resultText(set.bodies().at(-1), "d")).toContain("was changed by somebody else");
    expect(text(set, "link")).toBe("theirs\n");
  });

  it("leaves the link or removes it when the disk breaks anywhere on the way", { timeout: 60_000 }, async () => {
    const attempt = async (at: number) => {
      const set = await play([remove("link")]);
      const { disk, calls } = faultyDisk({ at, code: "EIO" });
      // Where the session cannot even be opened or ended, what counts is what is on the disk.
      const ended = await set
        .open({ fs: disk })
        .then(async (session) => {
          const { subtype } = await session.send("go");
          await session.close();
          return subtype;
        })
        .catch(() => "failed");
      const said = ended === "success" ? resultText(set.bodies().at(-1), "d") : "";
      return { set, calls: calls(), said };
    };
    const whole = await attempt(0);
    expect(there(whole.set, "link")).toBe(false);
    for (let at = 1; at <= whole.calls; at++) {
      const { set, said } = await attempt(at);
      expect(text(set, "target.txt"), `call ${at}`).toBe("target\n");
      if (said.startsWith("deleted")) expect(there(set, "link"), `call ${at}`).toBe(false);
      if (there(set, "link")) expect(readlinkSync(join(set.root, "link")), `call ${at}`).toBe("target.txt");
    }
  });
});

describe("rewriting by way of a link", () => {
  it("the refusal names the file; deleting that and writing the link writes through it in one step", async () => {
    const set = await play([write("link", "new\n", "r")], [remove("target.txt"), write("link", "new\n")]);
    const session = await set.open();
    const result = await session.send("go");
    await session.close();
    expect(resultText(set.bodies()[1], "r")).toContain("target.txt, to which link is a link, exists already");
    expect(resultText(set.bodies().at(-1), "w")).toContain("rewrote target.txt");
    expect([readlinkSync(join(set.root, "link")), text(set, "target.txt")]).toEqual(["target.txt", "new\n"]);
    expect(result.files).toMatchObject([{ path: join(set.root, "target.txt"), after: expect.any(String) }]);
  });

  it("deleting the link and writing its name makes a file of its own; undo makes it a link again", async () => {
    const set = await play([remove("link"), write("link", "new\n")]);
    const session = await set.open();
    await session.send("go");
    await session.close();
    expect(resultText(set.bodies().at(-1), "w")).toContain("created link");
    expect([lstatSync(join(set.root, "link")).isFile(), text(set, "link")]).toEqual([true, "new\n"]);
    expect(text(set, "target.txt")).toBe("target\n");
    await undo(set);
    expect(readlinkSync(join(set.root, "link"))).toBe("target.txt");
    await undo(set);
    expect(text(set, "link")).toBe("new\n");
  });

  it("deleting both leaves neither, in whatever order", async () => {
    for (const order of [
      ["link", "target.txt"],
      ["target.txt", "link"],
    ]) {
      const set = await play(order.map((path, n) => remove(path, `d${n}`)));
      const session = await set.open();
      await session.send("go");
      await session.close();
      expect([there(set, "link"), existsSync(join(set.root, "target.txt"))]).toEqual([false, false]);
      await undo(set);
      expect([readlinkSync(join(set.root, "link")), text(set, "target.txt")]).toEqual(["target.txt", "target\n"]);
    }
  });
});
