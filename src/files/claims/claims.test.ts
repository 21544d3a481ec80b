// Claims between agents of one process: one file, one agent, until it lets go; with disks that do not help.
// Agents of other processes are processes.test.

import fs from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { agent, dir, files, freshClaims, root } from "../../../test/support/claims.js";
import { refusal } from "../../../test/support/refusal.js";
import { type Fs, nodeFs } from "../../lib/fs.js";

beforeEach(freshClaims);

describe("one file, one agent", () => {
  it("the second agent is told who has the file, and hears the event once", () => {
    const [one, two] = [agent("1111aaaabbbb"), agent("2222aaaabbbb")];
    one.take("a.js");
    for (const act of [() => two.take("a.js"), () => two.hold("a.js")]) {
      const error = refusal(act);
      expect(error.kind).toBe("conflict");
      expect(error.message).toMatch(
        /^CONFLICT: a\.js is being worked on by main \(session 1111aaaa, process \d+\)\. Nothing was changed\./,
      );
    }
    const owner = `main (session 1111aaaa, process ${process.pid})`;
    expect(two.events).toEqual([{ type: "claim.refused", path: join(root, "a.js"), owner }]);
    expect([one.events, one.records]).toEqual([[], []]);
  });

  it("42: every way to write a path is the same claim", () => {
    fs.symlinkSync("src", join(root, "link"));
    fs.symlinkSync("../a.js", join(root, "src", "alias.js"));
    const [one, two] = [agent("1"), agent("2")];
    one.take("./a.js");
    for (const path of ["a.js", join(root, "a.js"), "src/../a.js", "link/../a.js", "src/alias.js", "link/alias.js"]) {
      expect(refusal(() => two.take(path)).message).toContain("CONFLICT: a.js ");
    }
    one.take("link/new.js");
    expect(refusal(() => two.take("src/new.js")).message).toContain("CONFLICT: src/new.js ");
    two.take("src/a.js");
  });

  it("an agent is never in its own way, and only the owner releases", () => {
    const [one, two] = [agent("1"), agent("2")];
    one.hold("a.js", "./a.js");
    one.hold("a.js");
    one.take("a.js");
    expect(one.events).toHaveLength(1);
    expect(two.release("a.js")).toEqual([]);
    refusal(() => two.take("a.js"));
    expect(one.release("a.js", "src/b.js")).toEqual(["a.js"]);
    expect(one.records.map(({ until }) => until)).toEqual([null, expect.any(Number)]);
    two.take("a.js");
  });

  it("several files are claimed together or not at all", () => {
    const [one, two, three] = [agent("1"), agent("2"), agent("3")];
    one.take("c.js");
    two.take("b.js");
    expect(refusal(() => two.hold("a.js", "b.js", "c.js")).message).toContain("CONFLICT: c.js ");
    expect([two.events.map(({ type }) => type), two.records]).toEqual([["claim.refused"], []]);
    three.take("a.js");
    refusal(() => three.take("b.js"));
    expect(refusal(() => one.hold("src")).message).toContain("src is a directory");
    expect(refusal(() => one.hold("../x")).message).toContain("outside the project");
  });
});

describe("the end", () => {
  it("of a run frees what was only changed, of a session everything; no file is left", () => {
    const [one, two] = [agent("1"), agent("2")];
    one.take("a.js");
    one.hold("b.js");
    one.claims.letGo();
    two.take("a.js");
    refusal(() => two.take("b.js"));
    one.claims.close();
    two.take("b.js");
    two.claims.close();
    expect(files()).toEqual([]);
    one.take("a.js");
    expect(files()).toHaveLength(2);
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700);
    for (const name of files()) expect(fs.statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  });
});

describe("when the disk does not help", () => {
  it("a claim that cannot be read is put aside and said, unless it may be in the making", () => {
    const one = agent("1");
    one.take("a.js");
    const claim = files().find((name) => name.endsWith(".json")) ?? "";
    one.claims.close();
    fs.writeFileSync(join(dir, claim), "torn {");
    const two = agent("2");
    expect(refusal(() => two.take("a.js")).message).toContain("is being worked on by another agent.");
    fs.utimesSync(join(dir, claim), 1, 1);
    two.take("a.js");
    expect(two.events.map((event) => (event.type === "notice" ? event.code : event.type))).toEqual([
      "claim.refused",
      "claims.damaged",
    ]);
    const aside = files().find((name) => name.endsWith(".damaged")) ?? "";
    expect(fs.readFileSync(join(dir, aside), "utf8")).toBe("torn {");
    refusal(() => agent("3").take("a.js"));
  });

  it.each(["EACCES", "EROFS", "ENOSPC"])("%s: claims hold within the process, which is said once", (code) => {
    const disk = failingBelow(dir, code);
    const [one, two] = [agent("1", { disk }), agent("2", { disk })];
    one.take("a.js");
    one.hold("b.js");
    expect(refusal(() => two.take("a.js")).message).toContain("session 1,");
    expect(one.events.filter(({ type }) => type === "notice")).toEqual([
      { type: "notice", level: "warning", code: "claims.local", text: expect.stringContaining(`(${code})`) },
    ]);
    one.claims.close();
    two.take("a.js");
    expect(files()).toEqual([]);
  });

  it("a removed directory is made again", () => {
    const [one, two] = [agent("1"), agent("2")];
    one.take("a.js");
    fs.rmSync(dir, { recursive: true });
    one.take("b.js");
    refusal(() => two.take("b.js"));
    expect(one.events).toEqual([]);
  });
});

it("44: a command is refused when it names a claimed file as a place for its output", () => {
  const [one, two] = [agent("1"), agent("2")];
  one.take("src/a.js");
  for (const command of ["echo > src/a.js", "cd src && x | tee a.js", "cat >> ./src/../src/a.js <<E\nE"]) {
    const error = refusal(() => two.claims.checkCommand(command, root));
    expect([error.kind, error.message]).toEqual(["conflict", expect.stringContaining("Nothing was run.")]);
    one.claims.checkCommand(command, root);
  }
  for (const command of ["cat src/a.js", "echo 'x > src/a.js'", "echo > b.js", "echo > a.js/b > /dev/null"]) {
    two.claims.checkCommand(command, root);
  }
  refusal(() => two.claims.checkCommand("echo > a.js", join(root, "src")));
});

it("45: what others hold is told without one's own, newest first", () => {
  let now = 1_000;
  const [one, two] = [agent("1111", { now: () => now++ }), agent("2222", { now: () => now++ })];
  for (const path of ["a.js", "b.js", "c.js"]) one.take(path);
  two.take("d.js");
  one.release("b.js");
  expect(two.claims.othersText(1_000).split("\n").slice(1)).toEqual([
    `- c.js: main (session 1111, process ${process.pid})`,
    `- a.js: main (session 1111, process ${process.pid})`,
  ]);
  expect(one.claims.othersText(1_000)).toMatch(/:\n- d\.js: main \(session 2222, process \d+\)$/);
});

/** The real disk, but nothing below `place` can be written. */
function failingBelow(place: string, code: string): Fs {
  const guarded = ["openSync", "mkdirSync", "linkSync", "renameSync"];
  return new Proxy(nodeFs, {
    get(real, name: keyof Fs) {
      const call = real[name] as (...args: unknown[]) => unknown;
      if (!guarded.includes(name)) return call;
      return (...args: unknown[]) => {
        const hit = args.some((arg) => typeof arg === "string" && arg.startsWith(place));
        if (hit) throw Object.assign(new Error(`${code}: on purpose`), { code });
        return call.apply(real, args);
      };
    },
  });
}
