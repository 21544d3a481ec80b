import { expect, test } from "vitest";
import { knownFormations } from "./catalog.js";
import { checkPlan, planText, readPlan } from "./plan.js";
import { asWaves, dependencies, outlook, type Progress } from "./waves.js";

const known = knownFormations([], ["explore", "implement", "review", "test"]);
const formationOf = (name: string) => known.find((each) => each.name === name)?.formation ?? null;

const text = `goal: A timer with a list of what was done.
formation: feature-impl
tasks:
  - id: backend
    title: The server
    role: backend-impl
    prompt: Write it.
    files: [server/index.js]
    exports: { server/index.js: [start] }
    accept: [node --check server/index.js]
  - id: frontend
    title: The page
    role: frontend-impl
    prompt: Write it.
    files: [public/app.js]
  - id: fit
    title: Both together
    role: integrator
    prompt: Make them fit.
    after: [backend]
  - id: check
    title: Tests
    role: tester
    prompt: Test it.
`;

const read = (changed: string) => readPlan(changed, formationOf);

test("a path is the same however it is written", () => {
  const { value } = read(text.replace("files: [server/index.js]", "files: [./server//index.js]"));
  expect(value?.tasks[0]).toMatchObject({
    files: ["server/index.js"],
    exports: { "server/index.js": expect.any(Array) },
  });
});

test("a plan survives being written down and read again", () => {
  const { value: plan, problems } = read(text);
  expect(problems).toEqual([]);
  if (!plan) throw new Error("no plan");
  expect(plan.tasks[0]).toMatchObject({ after: [], accept: ["node --check server/index.js"] });
  const written = planText(plan);
  expect(written).not.toContain("[]");
  expect(read(written).value).toEqual(plan);
  expect(checkPlan(plan, formationOf).value).toEqual(plan);
});

test.each<[string, [string, string], number, string]>([
  ["an unknown formation", ["formation: feature-impl", "formation: none"], 2, "there is no formation none"],
  ["an unknown role", ["role: tester", "role: painter"], 23, "has no role painter; it has: backend-impl,"],
  [
    "files of a role that writes nothing",
    ["    prompt: Test it.", "    prompt: Test it.\n    files: [t.js]"],
    25,
    "tester has the tools",
  ],
  ["an unknown dependency", ["after: [backend]", "after: [nobody]"], 20, "there is no task nobody"],
  ["waiting for itself", ["after: [backend]", "after: [fit]"], 20, "it waits for itself"],
  ["waiting for a later wave", ["after: [backend]", "after: [check]"], 20, "role tester works in a later wave"],
  ["a file made twice", ["files: [public/app.js]", "files: [./server/index.js]"], 15, "made by backend already"],
  [
    "a file of a role beside it",
    ["public/app.js", "server/app.js"],
    15,
    "belongs to the role backend-impl, which works",
  ],
  ["a path that leads out", ["public/app.js", "../app.js"], 15, "stays inside the project"],
  ["an absolute path", ["public/app.js", "/app.js"], 15, "stays inside the project"],
  ["a path of two lines", ["public/app.js", '"a\\nb.js"'], 15, "a path is one line"],
  ["exports of no file", ["exports: { server/index.js", "exports: { server/other.js"], 9, "not among its files"],
  ["two tasks of one id", ["id: frontend", "id: backend"], 11, "two tasks of this id"],
  ["a path that is no address", ["tasks:", "app: { path: /a b }\ntasks:"], 3, "app.path: a path begins with /"],
  ["no task", ["tasks:", "tasks: []\nothers:"], 3, "a plan needs a task"],
])("%s is told with its line", (_what, [from, to], line, what) => {
  const { value, problems } = read(text.replace(from, to));
  expect(value).toBeNull();
  const told = problems.map((problem) => `${problem.line}: ${problem.text}`).join("\n");
  expect(told).toMatch(new RegExp(`^${line}: .*${what.replace(/[.]/g, "\\.")}`, "m"));
});

test("a circle is told, however long", () => {
  const round = text
    .replace("role: frontend-impl", "role: backend-impl\n    after: [third]")
    .replace("    files: [public/app.js]\n", "")
    .replace(
      "  - id: fit",
      "  - id: third\n    title: x\n    role: backend-impl\n    prompt: x\n    after: [frontend]\n  - id: fit",
    );
  expect(read(round).problems.map((problem) => problem.text)).toEqual([
    "frontend: it waits for itself in the end",
    "third: it waits for itself in the end",
  ]);
});

const needs = dependencies(read(text).value?.tasks ?? [], formationOf("feature-impl") ?? never());

function never(): never {
  throw new Error("the formation is there");
}

test("waves follow from roles and dependencies", () => {
  expect(asWaves(needs)).toEqual([["backend", "frontend"], ["fit"], ["check"]]);
});

test.each<[Record<string, Progress>, Partial<ReturnType<typeof outlook>>]>([
  [{}, { ready: ["backend", "frontend"], blocked: [] }],
  [{ backend: "done", frontend: "running" }, { ready: [] }],
  [{ backend: "done", frontend: "done" }, { ready: ["fit"] }],
  [
    { backend: "failed", frontend: "running" },
    {
      ready: [],
      blocked: [
        { id: "fit", by: ["backend"] },
        { id: "check", by: ["backend"] },
      ],
    },
  ],
  [{ backend: "done", frontend: "done", fit: "failed" }, { blocked: [{ id: "check", by: ["fit"] }] }],
])("with %j", (progress, expected) => {
  expect(outlook(needs, (id) => progress[id] ?? "todo")).toMatchObject(expected);
});
