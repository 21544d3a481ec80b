// Files of others in a build: a file tool is refused, a program is not, so what it changed is said, sent to the owner once, and
// put down with whoever did it. Tasks of one wave, each in a command while the other one works.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/lib/hash.js";
import type { ScriptItem } from "../../src/models/script.js";
import { command, said, teamBuild, when, write } from "../support/team-build.js";

const plan = `goal: An app
formation: feature-impl
tasks:
  - { id: srv, title: The server, role: backend-impl, prompt: Write the server., files: [server/a.js] }
  - { id: web, title: The page, role: frontend-impl, prompt: Write the page., files: [public/b.js] }
`;
const server = "export const serve = () => 1;\n";
const page = "export const show = () => 1;\n";
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;
/** Once, when the file is written: not when it is read back. */
const after = (file: string) => `^created \\w+/${file}\\.js`;
/** What it writes stands nowhere in its words. */
const program = (...paths: string[]) =>
  paths
    .map((path) => `node -e 'fs.appendFileSync(${JSON.stringify(path.split("/"))}.join("/"), "// mine\\n")'`)
    .join("; ");
const staged = (backend: ScriptItem[], frontend: ScriptItem[]) =>
  teamBuild(plan, { "backend-impl": backend, "frontend-impl": frontend });
const byPath = (files: readonly { path: string }[] = []) => [...files].sort((a, b) => (a.path < b.path ? -1 : 1));

test("a program that changes what another task owns: said, sent to the owner once, and put down with it", async () => {
  const build = await staged(
    [
      when("Write the server", write(server, "server/a.js")),
      when(after("a"), command(`${until("public/b.js")}; ${program("public/b.js", "public/c.txt")}; touch log`)),
      said,
    ],
    [
      when("Write the page", write(page, "public/b.js")),
      when("CONFLICT", { calls: [{ tool: "delete_file", input: { path: "public/c.txt" } }] }),
      said,
    ],
  );
  await build.carry();
  const lines = ["public/b.js", "public/c.txt"].map(
    (path) => `CONFLICT: ${path}, which belongs to web, was changed by a command of srv.`,
  );
  expect(build.notes.filter((note) => note.startsWith("srv: CONFLICT")).sort()).toEqual(
    lines.map((line) => `srv: ${line}`),
  );
  expect(build.attempts()).toEqual({ srv: ["first", "read back"], web: ["first", "read back", "mend 1"] });
  const asked = (await build.records()).find(({ metadata }) => metadata?.["kind"] === "mend 1");
  for (const line of lines) expect(asked?.prompt).toContain(JSON.stringify(line));
  const { outcome, conflicts, tasks } = await build.manifest();
  expect([outcome, conflicts.map(({ path, task, of, known }) => [path, task, of, known])]).toEqual([
    "done",
    [
      ["public/b.js", "srv", "web", true],
      ["public/c.txt", "srv", "web", true],
    ],
  ]);
  expect(byPath(tasks["srv"]?.files).map(({ path }) => path)).toEqual([
    "log",
    "public/b.js",
    "public/c.txt",
    "server/a.js",
  ]);
  expect(existsSync(join(build.root, "public/c.txt"))).toBe(false);
});

test("what others write while a command runs is not the command's", async () => {
  const build = await staged(
    [
      when("Write the server", write(server, "server/a.js")),
      when(after("a"), command(`touch begun; ${until("over")}`)),
      said,
    ],
    [
      when("Write the page", command(until("begun"))),
      when("begun", write(page, "public/b.js")),
      when("b\\.js", write("free\n", "notes.txt")),
      when("notes", command("touch over")),
      said,
    ],
  );
  await build.carry();
  const { outcome, conflicts, tasks } = await build.manifest();
  expect([outcome, conflicts]).toEqual(["done", []]);
  const srv = byPath(tasks["srv"]?.files);
  expect(srv).toContainEqual({ path: "server/a.js", before: null, after: sha256(server) });
  expect(srv.map(({ path }) => path)).not.toContain("public/b.js");
  expect(srv.map(({ path }) => path)).not.toContain("notes.txt");
  expect(tasks["web"]?.files).toContainEqual({ path: "public/b.js", before: null, after: sha256(page) });
  // Both had a command under way when it was made.
  expect(srv).toContainEqual(expect.objectContaining({ path: "over", unsure: true }));
});

test("changed while commands of both ran: by whom is not known, and that is said", async () => {
  const build = await staged(
    [
      when("Write the server", write(server, "server/a.js")),
      when(after("a"), command(`${until("ready")}; ${program("public/b.js")}; touch over`)),
      said,
    ],
    [
      when("Write the page", write(page, "public/b.js")),
      when(after("b"), command(`touch ready; ${until("over")}`)),
      said,
    ],
  );
  await build.carry();
  expect(build.notes).toContain(
    "srv: CONFLICT: public/b.js, which belongs to web, was changed while commands of srv and web ran, by whom is not known.",
  );
  const { outcome, conflicts, tasks } = await build.manifest();
  expect([outcome, conflicts]).toEqual(["done", [{ path: "public/b.js", task: "srv", of: "web", known: false }]]);
  expect(tasks["srv"]?.files.find(({ path }) => path === "public/b.js")).toMatchObject({ unsure: true });
});
