// `cinch build` on a real terminal: the plan and the question about it, the plan in an editor, what is told while it is carried
// out, and Ctrl-C.

import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect } from "vitest";
import buildDist from "../support/build.js";
import { needs } from "../support/needs.js";
import { running } from "../support/processes.js";
import { shellWords } from "../support/run.js";
import { app, plan, smallBuild } from "../support/small-build.js";
import { TestTerminal } from "../support/terminal.js";

beforeAll(buildDist);

const question = "Build this? [y]es, [e]dit, [N]o";
const [task] = plan.tasks;

/** `edits`: what the editor does to the file `$1`, a line of shell for each time it is opened. */
function place(edits: readonly string[] = [], planned: object = plan) {
  const at = smallBuild({ implementer: [app, { text: "Made." }] }, planned);
  const editor = join(at.base, "editor");
  const cases = edits.map((line, i) => `${i + 1}) ${line} ;;`).join("\n");
  writeFileSync(editor, `#!/bin/sh\necho x >> "$0.times"\ncase $(wc -l < "$0.times" | tr -d ' ') in\n${cases}\nesac\n`);
  chmodSync(editor, 0o755);
  const flags = ["build", ...at.flags, "-m", at.model, "--no-verify", "--no-review", "--no-preview"];
  const started = (args: readonly string[]) =>
    new TestTerminal([...flags, ...args], {
      cwd: at.project,
      home: at.home,
      columns: 120,
      rows: 40,
      env: { EDITOR: shellWords([editor]) },
    });
  return { ...at, started, asked: () => started(["--plan", at.planFile]) };
}

const built = (project: string) => existsSync(join(project, "app.js"));

needs("python3")(
  "the plan is shown with its waves; a yes builds it, and what happens is told with what is to go",
  async () => {
    const at = place([], {
      ...plan,
      tasks: [task, { ...task, id: "look", title: "A look", prompt: "Look at it.", files: [], after: ["app"] }],
    });
    const term = at.asked();
    const screen = await term.until(question);
    expect(screen).toMatch(
      /An app\nTeam: single-file\nWave 1\n {2}app \(implementer\): The app\n {4}app\.js\nWave 2\n {2}look/,
    );
    expect(built(at.project)).toBe(false);
    term.type("y\r");
    expect(await term.done).toBe(0);
    const all = term.all().join("\n");
    expect(all).toMatch(/app started: The app \(2 to go\)/);
    expect(all).toMatch(/app done: The app \(1 to go, about \d+ s\)/);
    expect(all).toContain("look done: A look");
    expect(built(at.project)).toBe(true);
  },
);

needs("python3")(
  "a plan that the editor made wrong is told with its line and edited again; what was made of it is shown",
  async () => {
    const at = place([
      "sed -i 's/role: implementer/role: nobody/' \"$1\"",
      "sed -i 's/nobody/implementer/; s/The app/The new app/' \"$1\"",
    ]);
    const term = at.asked();
    await term.until(question);
    term.type("e\r");
    const wrong = await term.until("It does not hold. [e]dit again");
    expect(wrong).toMatch(/plan\.yaml:\d+: app: single-file has no role nobody; it has: implementer/);
    term.type("e\r");
    await term.until(/app \(implementer\): The new app[\s\S]*Build this\?/);
    term.type("y\r");
    expect(await term.done).toBe(0);
    expect(term.all().join("\n")).toContain("app done: The new app");
  },
);

needs("python3")(
  "a plan that does not hold is given up for the one before; an editor that fails changes nothing",
  async () => {
    const at = place(["echo 'goal: [' > \"$1\"", "exit 3"]);
    const term = at.asked();
    await term.until(question);
    term.type("e\r");
    await term.until("It does not hold. [e]dit again");
    term.type("\r");
    await term.until((screen) => screen.split(question).length === 3);
    term.type("e\r");
    const screen = await term.until((shown) => shown.split(question).length === 4);
    expect(screen).toContain("The editor did not end well");
    term.type("n\r");
    expect(await term.done).toBe(1);
    expect(term.all().join("\n")).toContain("Nothing is built.");
    expect([built(at.project), existsSync(join(at.project, ".cinch"))]).toEqual([false, false]);
  },
);

for (const [name, key, exit] of [
  ["Escape", "\x1b", 1],
  ["the end of input", "\x04", 1],
  ["Ctrl-C", "\x03", 130],
] as const)
  needs("python3")(`${name} at the question builds nothing`, async () => {
    const at = place();
    const term = at.asked();
    await term.until(question);
    term.type(key);
    expect(await term.done).toBe(exit);
    expect(term.all().join("\n")).toContain("Nothing is built.");
    expect(built(at.project)).toBe(false);
  });

needs("python3")("with --yes nobody is asked", async () => {
  const at = place();
  const term = at.started(["--yes", "--plan", at.planFile]);
  expect(await term.done).toBe(0);
  expect(term.all().join("\n")).not.toContain("Build this?");
  expect(built(at.project)).toBe(true);
});

/** A page, and a server for it whose arguments bear the mark. */
function served(mark: string) {
  const server = `import { createServer } from "node:http";
createServer((_, response) => response.end("<title>here</title>here")).listen(process.env.PORT, process.env.HOST);
`;
  const at = place([], { ...plan, app: { start: `node serve.mjs ${mark}` } });
  writeFileSync(join(at.project, "serve.mjs"), server);
  return at;
}

needs("python3")(
  "what was built is shown on this machine's own address until Ctrl-C, and nothing of it is left",
  async () => {
    const mark = `mark-${randomBytes(8).toString("hex")}`;
    const at = served(mark);
    const flags = ["build", ...at.flags, "-m", at.model, "--no-verify", "--no-review", "--plan", at.planFile];
    const term = new TestTerminal(flags, { cwd: at.project, home: at.home, columns: 120, rows: 40 });
    await term.until(question);
    term.type("y\r");
    const screen = await term.until("Ctrl-C ends it.");
    const [, url = ""] = /The preview is at (http:\/\/127\.0\.0\.1:\d+\/);/.exec(screen) ?? [];
    expect(await (await fetch(url)).text()).toContain("here");
    expect(running(mark)).not.toEqual([]);
    term.type("\x03");
    expect(await term.done).toBe(0);
    expect(running(mark)).toEqual([]);
  },
);

needs("python3")("with --no-preview nothing is shown, and what was looked at is ended", async () => {
  const mark = `mark-${randomBytes(8).toString("hex")}`;
  const at = served(mark);
  const flags = ["build", ...at.flags, "-m", at.model, "--no-review", "--no-preview", "--plan", at.planFile];
  const term = new TestTerminal(flags, { cwd: at.project, home: at.home, columns: 120, rows: 40 });
  await term.until(question);
  term.type("y\r");
  expect(await term.done).toBe(0);
  expect(term.all().join("\n")).toMatch(/L2 ok It starts \(plan\) and answers/);
  expect(term.all().join("\n")).not.toContain("The preview is at");
  expect(running(mark)).toEqual([]);
});

needs("python3")("Ctrl-C in a wave pauses and says how to go on; that asks nothing and does it", async () => {
  const at = place();
  at.play({ implementer: [{ ...app, delay_ms: 600_000 }] });
  const term = at.asked();
  await term.until(question);
  term.type("y\r");
  await term.until("app started: The app (1 to go)");
  term.type("\x03");
  expect(await term.done).toBe(130);
  const [id = ""] = readdirSync(join(at.project, ".cinch/build")).filter((name) => name !== ".gitignore");
  expect(term.all().join("\n")).toContain(`Paused. Go on with: cinch build --resume ${id}`);
  at.play({ implementer: [app, { text: "Made." }] });
  const again = at.started(["--resume", id]);
  expect(await again.done).toBe(0);
  expect(again.all().join("\n")).toContain(`Built: ${id}.`);
  expect(built(at.project)).toBe(true);
});
