// What is kept of a build, and what of it is believed by whoever goes on with it.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultyDisk } from "../../test/support/faulty-disk.js";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { readFormation } from "./formation.js";
import { builtinFormations } from "./formations.gen.js";
import { readPlan } from "./plan.js";
import { BuildRecord } from "./record.js";
import { type BuildState, parseState } from "./state.js";

const { value: formation } = readFormation(builtinFormations["lightweight-feature"] ?? "", ["implement", "test"]);
if (!formation) throw new Error("a formation that comes with Cinch does not hold");
const { value: plan } = readPlan(
  "goal: g\nformation: lightweight-feature\ntasks:\n  - { id: app, title: t, role: implementer, prompt: p, files: [app.js] }\n",
  () => formation,
);
if (!plan) throw new Error("the plan does not hold");

const hash = "a".repeat(64);
const state: BuildState = {
  ...{ v: 1, id: "b", session: "s1", spec: "", formation, plan, created: 1, round: 0, cycles: 1, preview: null },
  tasks: {
    app: {
      ...{ status: "failed", why: "it fails", found: ["L4 it fails"], answer: "There." },
      files: [{ path: "app.js", before: null, after: hash, mode: { before: null, after: 33188 } }],
    },
  },
  commands: { app: [{ path: "log", before: null, after: hash }] },
  conflicts: [{ path: "app.js", task: "app", of: "app", known: true }],
  evidence: [{ level: "L4", ok: false, what: "it fails", artifact: "evidence/accept-app-1.log", task: "app" }],
  verdict: { verdict: "FAIL", findings: [{ severity: "major", file: "app.js", line: 1, what: "w" }] },
  ...{ outcome: "failed", failure: { detail: "verify", why: "it fails" } },
};

function shelf() {
  const base = tempDir();
  const root = join(base, "project");
  mkdirSync(root);
  return { base, disk: nodeFs, root, kept: join(base, "state", "builds") };
}

test("a state is read back as it was kept, out of the project", async () => {
  const at = shelf();
  const record = new BuildRecord(at, state);
  await record.keep("plan.yaml", "goal: g\n");
  await record.save();
  expect(BuildRecord.load(at, "b").state).toEqual(state);
  expect(readdirSync(join(at.root, ".cinch/build")).sort()).toEqual([".gitignore", "b"]);
  expect(readdirSync(join(at.root, ".cinch/build/b"))).toEqual(["plan.yaml"]);
});

test("a state that came with the project says nothing: its plan may begin anew", () => {
  const at = shelf();
  const folder = join(at.root, ".cinch/build/b");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "state.json"), JSON.stringify(state));
  expect(() => BuildRecord.load(at, "b")).toThrow('There is no build "b" here.');
  writeFileSync(join(folder, "plan.yaml"), "goal: g\n");
  expect(() => BuildRecord.load(at, "b")).toThrow("The build b was not begun here by you");
});

test.each(["../b", "", "a/b", "b\0"])("an id that is none: %j", (id) => {
  expect(() => BuildRecord.load(shelf(), id)).toThrow("There is no build");
});

/** The state with another value at a path. */
const changed = (path: string, value: unknown): string => {
  const copy = JSON.parse(JSON.stringify(state)) as object;
  const names = path.split(".");
  const last = names.pop() ?? "";
  const at = names.reduce((value, name) => (value as Record<string, object>)[name] ?? {}, copy);
  (at as Record<string, unknown>)[last] = value;
  return JSON.stringify(copy);
};

test.each<[string, string, string]>([
  ["half a text", JSON.stringify(state).slice(0, 200), "it is no JSON"],
  ["something else", "[]", "all of it: "],
  ["a later version", changed("v", 2), "v: "],
  ["another build", changed("id", "c"), "it is the state of the build c"],
  ["a session that is a path", changed("session", "../../x"), "session: "],
  ["a member that is unknown", changed("run", "rm -rf /"), 'all of it: Unrecognized key: "run"'],
  ["no plan", changed("plan", null), "its plan does not hold"],
  ["a file outside", changed("plan.tasks.0.files", ["../x"]), "a path is relative"],
  ["a role that is none", changed("plan.tasks.0.role", "root"), "has no role root"],
  ["a team that is none", changed("formation.waves", []), "its formation does not hold"],
  ["a task of nobody", changed("tasks.other", state.tasks["app"]), 'its plan has no task "other"'],
  ["commands of nobody", changed("commands.other", []), 'its plan has no task "other"'],
  ["a task without an end", changed("tasks.app.status", "well"), "tasks.app.status: "],
  ["done with what failed", changed("outcome", "done"), "its task app is not"],
  ["failed without a failure", changed("failure", undefined), "failed without a failure"],
  ["a proof outside", changed("evidence.0.artifact", "/etc/passwd"), "evidence.0.artifact: "],
  ["a count that never ends", changed("cycles", -1), "cycles: "],
])("%s is no state", async (_name, text, fault) => {
  expect(parseState(text, "b")).toEqual({ fault: expect.stringContaining(fault) });
  const at = shelf();
  mkdirSync(at.kept, { recursive: true });
  writeFileSync(join(at.kept, "b.json"), text);
  expect(() => BuildRecord.load(at, "b")).toThrow(
    `${join(at.kept, "b.json")} is no state of a build that this Cinch reads`,
  );
});

test("a giant, a link and a folder in place of a state are refused unread", () => {
  const at = shelf();
  const file = join(at.kept, "b.json");
  mkdirSync(at.kept, { recursive: true });
  writeFileSync(file, "{}");
  truncateSync(file, 1e12);
  expect(() => BuildRecord.load(at, "b")).toThrow("it is larger than any state of a build");
  rmSync(file);
  writeFileSync(join(at.base, "elsewhere.json"), JSON.stringify(state));
  symlinkSync(join(at.base, "elsewhere.json"), file);
  expect(() => BuildRecord.load(at, "b")).toThrow("it is no file that can be read");
  rmSync(file);
  mkdirSync(file);
  expect(() => BuildRecord.load(at, "b")).toThrow("it is no file that can be read");
});

test.each([
  ["EROFS", "the file system is read-only (EROFS)"],
  ["ENOSPC", "no space left on the disk (ENOSPC)"],
])("a disk that says %s is told to whoever builds, with how to go on", async (code, why) => {
  const at = { ...shelf(), ...faultyDisk({ at: 1, forever: true, code }) };
  const record = new BuildRecord(at, state);
  for (const writing of [record.keep("plan.yaml", "goal: g\n"), record.save()])
    await expect(writing).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining(`cannot be written: ${why}. What was written before stands.`),
    });
});

test.each([".cinch", ".cinch/build", ".cinch/build/b"])("nothing is written through a link at %s", async (name) => {
  const at = shelf();
  const elsewhere = join(at.base, "elsewhere");
  mkdirSync(elsewhere);
  mkdirSync(join(at.root, name, ".."), { recursive: true });
  symlinkSync(elsewhere, join(at.root, name));
  await expect(new BuildRecord(at, state).keep("plan.yaml", "goal: g\n")).rejects.toThrow(`${name} is a link`);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("a link in place of the plan is replaced, and what it led to stays", async () => {
  const at = shelf();
  const elsewhere = join(at.base, "secret");
  writeFileSync(elsewhere, "mine");
  mkdirSync(join(at.root, ".cinch/build/b"), { recursive: true });
  symlinkSync(elsewhere, join(at.root, ".cinch/build/b/plan.yaml"));
  await new BuildRecord(at, state).keep("plan.yaml", "goal: g\n");
  expect(readFileSync(elsewhere, "utf8")).toBe("mine");
  expect(existsSync(join(at.root, ".cinch/build/b/plan.yaml"))).toBe(true);
});
