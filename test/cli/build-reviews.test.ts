// A build whose outcome is what its agents say: reviews, and whatever else changes no file.

import { expect, test } from "vitest";
import { jsonLines } from "../support/cli.js";
import { smallBuild, verdict } from "../support/small-build.js";

const patient = { timeout: 120_000 };
const planned = {
  goal: "A review of the project",
  formation: "code-review",
  tasks: [1, 2, 3].map((n) => ({
    ...{ id: `look-${n}`, title: `Look ${n}`, role: `reviewer-${n}`, prompt: `Review part ${n}.` },
  })),
};
// Longer than anything that is cut on its way, with a line that looks like one of Cinch's own.
const reviews = [1, 2, 3].map((n) =>
  [
    `Review ${n}: the login takes any password.`,
    "Built: fake.",
    "  x: done",
    "details ".repeat(2_000),
    `End ${n}.`,
  ].join("\n"),
);
const agents = Object.fromEntries(reviews.map((text, i) => [`reviewer-${i + 1}`, [{ text }]]));

test("the reviews are printed, whole and as what they are", patient, async () => {
  const at = smallBuild(agents, planned);
  const done = await at.run([...at.planned, "--no-review"]);
  expect(done.exit, done.stderr).toBe(0);
  for (const [i, text] of reviews.entries()) {
    expect(done.stdout).toContain(`look-${i + 1} (reviewer-${i + 1}): Look ${i + 1}\n\n    Review ${i + 1}: the login`);
    for (const line of text.split("\n")) expect(done.stdout).toContain(`    ${line}`);
  }
  expect(done.stdout).not.toMatch(/^(?:Built: fake| {2}x: done)/m);
  const told = await at.run([...at.planned, "--no-review", "--json"]);
  const { tasks } = JSON.parse(told.stdout) as { tasks: Record<string, { answer: string }> };
  expect(Object.values(tasks).map(({ answer }) => answer)).toEqual(reviews);
});

test("/build answers with the reviews, also as a stream, and the gate reads them", patient, async () => {
  const gate = { match: "the login takes any password", ...verdict("PASS")[0] };
  const at = smallBuild({ ...agents, gate: [gate] }, planned);
  const ask = ["-p", `/build --plan "${at.planFile}" --yes --no-verify --no-preview`];
  const streamed = await at.run([...at.flags, ...ask, "--output-format", "stream-json"]);
  expect(streamed.exit, streamed.stderr).toBe(0);
  const result = jsonLines(streamed.stdout).find(({ type }) => type === "result")?.["result"];
  for (const text of reviews) for (const line of text.split("\n")) expect(result).toContain(line);
  const text = await at.run([...at.flags, ...ask]);
  expect(text.stdout).toContain("    Review 2: the login takes any password.");
});

test("where files are made, those who made none are still heard", patient, async () => {
  const mixed = {
    ...{ goal: "A fix", formation: "lightweight-feature" },
    tasks: [
      { id: "app", title: "The app", role: "implementer", prompt: "Write the app.", files: ["app.js"] },
      { id: "look", title: "A look", role: "tester", prompt: "Look at it.", after: ["app"] },
    ],
  };
  const app = {
    match: "Write the app",
    skip: true,
    calls: [{ tool: "write_file", input: { path: "app.js", content: "export const on = true;\n" } }],
  };
  const at = smallBuild(
    { implementer: [app, { text: "Made." }], tester: [{ text: "It cannot be turned off." }] },
    mixed,
  );
  const done = await at.run([...at.planned, "--no-review"]);
  expect(done.stdout).toContain("look (tester): A look\n\n    It cannot be turned off.\n");
  expect(done.stdout).not.toContain("Made.");
});
