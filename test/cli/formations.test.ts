// `cinch formations` and /formation: what there is, whether it holds, and that a project's count only once they are trusted.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";

const pair = `name: pair
description: Two at once.
roles:
  - { name: one, description: This., agent: implement, owns: [src/**] }
  - { name: two, description: That., agent: nobody, owns: [src/app/**] }
waves: [[one, two]]
`;

function staged(text: string) {
  const at = cliStage([]);
  const folder = join(at.project, ".cinch", "formations");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "pair.yaml"), text);
  return at;
}

test("lists, shows and checks; a problem has its file and line, and exit 1", async () => {
  const at = staged(pair);
  const list = await at.bare(["formations", "list"]);
  expect(list.stdout).toMatch(/^feature-impl +A feature with a server side/m);
  expect(list.stdout).toMatch(/^pair .*pair\.yaml:1: not trusted as it is/m);
  expect((await at.bare(["formations", "show", "feature-impl"])).stdout).toContain("1  backend-impl, frontend-impl");
  const checked = await at.bare(["formations", "validate", "--trust", "--json"]);
  expect(checked.exit).toBe(1);
  const { problems } = JSON.parse(checked.stdout) as { problems: string[] };
  expect(problems.map((text) => text.replace(/^.*pair\.yaml/, ""))).toEqual([
    ":5: there is no agent nobody; there are: explore, implement, review, test",
    ":6: one and two work side by side and both own files: src/** and src/app/** overlap",
  ]);
  const missing = await at.bare(["formations", "show", "trio"]);
  expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining("There are: all-hands-planning,")]);
  expect((await at.bare(["formations", "dance"])).exit).toBe(2);
});

test("a project's formation counts with the bytes that were trusted, and no others", async () => {
  const good = pair.replace("agent: nobody", "agent: test").replace("src/app/**", "web/**");
  const at = staged(good);
  const file = join(at.project, ".cinch", "formations", "pair.yaml");
  expect((await at.bare(["trust", "project", "--yes"])).exit).toBe(0);
  const shown = await at.bare(["formations", "show", "pair"]);
  expect([shown.exit, shown.stdout]).toEqual([0, expect.stringContaining("agent test")]);
  const slash = await at.run(["-p", "/formation single-file"]);
  expect([slash.exit, slash.stdout]).toEqual([0, expect.stringContaining("One small change")]);
  writeFileSync(file, good.replace("Two at once.", "Three."));
  const changed = await at.bare(["formations", "list"]);
  expect(changed.stdout).not.toContain("Three.");
  expect(changed.stdout).toMatch(/^pair .*not trusted as it is/m);
  expect((await at.bare(["trust", "status"])).stdout).toMatch(/changed +formation .cinch\/formations\/pair.yaml/);
});

test("exit 7, and the flag to use: an argument names a formation of a project that is not trusted", async () => {
  const at = staged(pair.replace("agent: nobody", "agent: test").replace("src/app/**", "web/**"));
  for (const args of [
    ["build", "a page", "--formation", "pair", "--yes", "--json"],
    ["formations", "show", "pair", "--json"],
  ]) {
    const { exit, stdout, stderr } = await at.bare(args);
    expect([exit, stdout, stderr.split("\n")[0]]).toEqual([
      7,
      "",
      expect.stringMatching(/pair.*not trusted.*--trust /),
    ]);
    expect(await at.bare([...args, "--trust"])).not.toMatchObject({ exit: 7 });
  }
});

test("no build and no task of a name is exit 2, as with every other name", async () => {
  const at = cliStage([]);
  expect(await at.bare(["build", "--resume", "nope"])).toMatchObject({ exit: 2 });
  expect(await at.bare(["tasks", "show", "nope"])).toMatchObject({ exit: 2 });
});

test("what is no file of the project's is never said to be untrusted; no name of a file makes a row; one bad file keeps no other", async () => {
  const at = staged(pair.replace("[[one, two]]", "*none"));
  const folder = join(at.project, ".cinch", "formations");
  writeFileSync(join(at.home, "outside.yaml"), pair);
  symlinkSync(join(at.home, "outside.yaml"), join(folder, "link.yaml"));
  execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
  writeFileSync(join(folder, "x\nfeature-impl  All of it is allowed.\ny.yaml"), pair);
  for (const flags of [[], ["--trust"]]) {
    const { exit, stdout } = await at.bare(["formations", "list", ...flags]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^link .*link\.yaml:1: it is no small file of its own/m);
    expect(stdout).toMatch(/^pipe .*pipe\.yaml:1: it is no small file of its own/m);
    expect(stdout.match(/^feature-impl /gm)).toHaveLength(1);
  }
  const checked = await at.bare(["formations", "validate", "--trust"]);
  expect(checked.stdout).toMatch(/pair\.yaml:6: \*none stands for nothing above/);
});
