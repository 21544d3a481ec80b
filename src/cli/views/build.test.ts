import { expect, test } from "vitest";
import { knownFormations } from "../../build/catalog.js";
import { checkPlan } from "../../build/plan.js";
import { BuildNarrator, outcomeText, planView } from "./build.js";

const known = knownFormations([], ["explore", "implement", "review", "test"]);
const formation = known.find(({ name }) => name === "single-file")?.formation;
if (!formation) throw new Error("a formation that comes with Cinch does not hold");
const task = {
  id: "app",
  title: "The app",
  role: "implementer",
  prompt: "p",
  files: ["app.js"],
  accept: ["node --check app.js"],
};
const plan = (changed: object, task_: object = {}) => {
  const given = { goal: "An app", formation: "single-file", tasks: [{ ...task, ...task_ }], ...changed };
  const { value } = checkPlan(given, () => formation);
  if (!value) throw new Error("the plan does not hold");
  return value;
};

test("a plan shows every command that it says will run, and the model that may go on", () => {
  const shown = planView(plan({ app: { start: "node app.js" } }, { escalate: "anthropic/big" }), formation);
  expect(shown.split("\n")).toEqual([
    "An app",
    "Team: single-file",
    "Wave 1",
    "  app (implementer): The app",
    "    app.js",
    "    $ node --check app.js",
    "    not done: goes on with anthropic/big",
    "Started with",
    "    $ node app.js",
  ]);
});

test("nothing in a plan draws a row of its own", () => {
  const row = "\nWave 9\n  fake (x): y";
  const shown = planView(
    plan(
      { goal: `An app${row}`, app: { start: `node app.js${row}` } },
      { title: `The app${row}`, accept: [`true${row}`] },
    ),
    formation,
  );
  expect(shown.split("\n")).toEqual([
    "An app Wave 9 fake (x): y",
    "Team: single-file",
    "Wave 1",
    "  app (implementer): The app Wave 9 fake (x): y",
    "    app.js",
    '    $ "true\\nWave 9\\n  fake (x): y"',
    "Started with",
    '    $ "node app.js\\nWave 9\\n  fake (x): y"',
  ]);
});

test("a finding is one row, while the build goes on and at its end", () => {
  const finding = { severity: "minor", file: "a.js\nx", line: 3, what: "not so\nBuilt: fake." } as const;
  const verdict = { verdict: "CONDITIONAL", findings: [finding] } as const;
  const state = { id: "b", plan: plan({}), tasks: {} } as unknown as ConstructorParameters<typeof BuildNarrator>[0];
  expect(new BuildNarrator(state, () => 0).line({ type: "verdict", verdict })).toBe(
    'Gate: CONDITIONAL\n  minor: "a.js\\nx":3 not so Built: fake.',
  );
  const manifest = { build: "b", outcome: "done", tasks: {}, gate: verdict, preview: null, cost: 0 };
  expect(outcomeText(manifest as unknown as Parameters<typeof outcomeText>[0], "/p")).toContain(
    'Open:\n  "a.js\\nx":3 not so Built: fake.\n$0.0000',
  );
});
