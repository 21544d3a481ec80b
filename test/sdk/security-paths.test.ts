// Paths that were made to hurt (SECURITY §3 C, rows 55-58, 77, 78 and 85), through the tools and the ports under them.
// Which test proves which row stands in docs/security.md; what does not hold is in docs/files.md.

import fs from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Refusal } from "../../src/core/errors.js";
import type { Files } from "../../src/core/ports.js";
import { createFiles } from "../../src/files/door.js";
import { SeenFiles } from "../../src/files/seen.js";
import { createSearch, createShell } from "../../src/harness/ports.js";
import { createCommands } from "../../src/harness/shell/commands.js";
import { type Fs, nodeFs } from "../../src/lib/fs.js";
import { sha256 } from "../../src/lib/hash.js";
import { within } from "../../src/lib/paths.js";
import { KnownSecrets } from "../../src/secrets/known.js";
import { expectPath, makeTree, pathCases } from "../support/path-cases.js";
import { errorOf } from "../support/refusal.js";
import { tempDir, unguarded } from "../support/run.js";
import { toolBench } from "../support/tools.js";

const { signal } = new AbortController();

it.each(pathCases)("55: append, edit, delete, list, find, search and cwd, $id: $path", async (row) => {
  const tree = await makeTree(row);
  try {
    const files = createFiles({ root: tree.root });
    const search = createSearch({ root: tree.root, cwd: tree.root, guard: unguarded });
    const commands = createCommands({ disk: nodeFs, root: tree.root, env: {} });
    const shell = createShell({
      root: tree.root,
      cwd: tree.root,
      env: {},
      commands,
      spillDir: tree.base,
      guard: unguarded,
      redactor: new KnownSecrets(),
    });
    const { path } = tree;
    // A deletion takes a link itself, which is inside wherever it leads.
    const mayGo = (place: string) => {
      expect(within(files.root, place)).toBe(true);
      if (!row.inside) expect(fs.lstatSync(place).isSymbolicLink()).toBe(true);
      if (!row.inside) throw new Refusal("outside", "what it leads to stays");
    };
    // A plan names a place outside by where it is; the decision is about that name (SPEC 1.21).
    const mayAsk = (place: string) => {
      expect(within(files.root, place)).toBe(row.inside);
      if (!row.inside) throw new Refusal("outside", "asked about");
    };
    const acts = [
      () => files.planAppend(path, "x"),
      () => files.planEdit(path, [{ oldText: "content", newText: "x" }]),
      () => files.planDelete(path).then((plan) => mayGo(plan.path)),
      () => search.list(path, signal),
      () => mayAsk(search.locate(path).path),
      () => mayAsk(files.locate(path).path),
      () => shell.plan("true", path),
    ];
    for (const act of acts) expectPath(row, await errorOf(act));
  } finally {
    tree.close();
  }
});

it("55: a leading tilde is a name in the project, and the result says so", async () => {
  const { root, call } = toolBench();
  for (const tool of ["write_file", "append_file"]) {
    const { text } = await call(tool, { path: `~/${tool}`, content: "x\n" });
    expect(text).toContain("~ is not expanded: this is a name in the project, not the home directory");
  }
  expect((await call("write_file", { path: "~x", content: "x" })).text).not.toContain("expanded");
  expect(fs.readdirSync(root).sort()).toEqual(["~", "~x"]);
});

/** The real disk; right before each of the calls `at`, a directory of the project and a link to one outside change places. */
function swappingDisk(at: readonly number[], directory: string, outside: string) {
  let calls = 0;
  let isLink = false;
  const disk = new Proxy(nodeFs, {
    get(real, name: keyof Fs) {
      const call = real[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (at.includes(++calls)) {
          if (isLink) fs.unlinkSync(directory);
          fs.renameSync(isLink ? `${directory}.moved` : directory, isLink ? directory : `${directory}.moved`);
          isLink = !isLink;
          if (isLink) fs.symlinkSync(outside, directory);
        }
        // What survives a power failure is not the question here, and it is what would take the time.
        return name === "fsync" ? (args.at(-1) as (error: null) => void)(null) : call.apply(real, args);
      };
    },
  });
  return { disk, calls: () => calls };
}

const deeds: Record<string, (files: Files) => Promise<unknown>> = {
  read: (files) => files.read("d/f", {}),
  "read as planned": async (files) => {
    const { path } = files.locate("d/f");
    if (!within(files.root, path)) throw new Error("asked about");
    return files.read(path, {});
  },
  create: async (files) => files.commit(await files.planCreate("d/new", "mine\n")),
  edit: async (files) => files.commit(await files.planEdit("d/f", [{ oldText: "same", newText: "mine" }])),
  delete: async (files) => files.commit(await files.planDelete("d/f")),
};

async function swapped(deed: string, at: readonly number[]) {
  const base = tempDir("cinch-swap-");
  const [root, outside] = [join(base, "project"), join(base, "outside")];
  fs.mkdirSync(join(root, "d"), { recursive: true });
  fs.mkdirSync(outside);
  fs.writeFileSync(join(root, "d/f"), "same\n");
  fs.writeFileSync(join(outside, "f"), "same\nsecret\n");
  const seen = new SeenFiles();
  seen.mark(join(root, "d/f"), sha256("same\n"));
  const { disk, calls } = swappingDisk(at, join(root, "d"), outside);
  const result = await deeds[deed]?.(createFiles({ root, disk, seen })).catch((error: unknown) => String(error));
  const left = fs.readdirSync(outside).map((name) => [name, fs.readFileSync(join(outside, name), "utf8")]);
  fs.rmSync(base, { recursive: true });
  return { calls: calls(), left, told: JSON.stringify(result ?? "") };
}

it.each(Object.keys(deeds))(
  "56, 58: %s: a directory that becomes a link, at any calls, leads nowhere",
  async (deed) => {
    const { calls } = await swapped(deed, []);
    expect(calls).toBeGreaterThan(5);
    const moments = Array.from({ length: calls }, (_, i) => i + 1);
    const twice = moments.flatMap((first) => moments.map((second) => [first, second].filter((at) => at >= first)));
    // There, back and there again: what looks twice is shown what it expects, and is led away in between.
    const thrice = moments.flatMap((at) => [1, 2, 3].flatMap((gap) => [[at, at + gap, at + gap + 1]]));
    for (const at of [...twice, ...thrice]) {
      const { left, told } = await swapped(deed, at);
      expect({ at, left }).toEqual({ at, left: [["f", "same\nsecret\n"]] });
      expect(told).not.toContain("secret");
    }
  },
);

it("56: a place outside that a plan named is read there and nowhere else, and its neighbours not at all", async () => {
  const base = tempDir("cinch-named-");
  const root = join(base, "project");
  fs.mkdirSync(root);
  for (const name of ["a", "b"]) fs.writeFileSync(join(base, name), `${name}\n`);
  fs.symlinkSync("../a", join(root, "link"));
  const files = createFiles({ root });
  expect(files.locate("link").path).toBe(join(base, "a"));
  expect((await files.read(join(base, "a"), {})).lines).toEqual(["a"]);
  for (const path of ["link", "../a", "../b", `${base}/./a`])
    expect([path, await errorOf(() => files.read(path, {}))]).toEqual([
      path,
      expect.objectContaining({ kind: "outside" }),
    ]);
  expect(await errorOf(() => files.planAppend(join(base, "a"), "x"))).toMatchObject({ kind: "outside" });
  files.locate("../none");
  const missing = await errorOf(() => files.read(join(base, "none"), {}));
  expect(missing).toMatchObject({ kind: "missing", message: expect.not.stringContaining("Beside") });
  fs.rmSync(join(base, "a"));
  fs.symlinkSync("b", join(base, "a"));
  expect(await errorOf(() => files.read(join(base, "a"), {}))).toMatchObject({ kind: "outside" });
});

it("77: any name can be written, listed on one line, read by what was listed, and deleted", async () => {
  const names = ["-rf", "\u{1f9ea} x", "e\u0301", "x".repeat(255), "a'\"$(b)`", "\\"];
  const { root, text, call } = toolBench();
  for (const path of names) await call("write_file", { path, content: "one\n" });
  const listed = (await call("list_files", {})).text.split("\n");
  expect(names.filter((name) => !listed.includes(name))).toEqual([]);
  for (const path of names) {
    await call("edit_file", { path, old_string: "one", new_string: "two" });
    expect(text(path)).toBe("two\n");
    await call("delete_file", { path });
  }
  expect(fs.readdirSync(root)).toEqual([]);
  await call("write_file", { path: "a\n\u001b[31mb", content: "" });
  expect((await call("list_files", {})).text).toBe("a\\n\\u001b[31mb");
  expect((await call("find_files", { glob: "*" })).text).toBe("a\\n\\u001b[31mb");
});

it("78: links in a circle end a listing and a search no later, and are not followed", async () => {
  const { at, call, refusal } = toolBench({ "d/a.txt": "hit\n" });
  fs.symlinkSync("..", at("d/up"));
  fs.symlinkSync("loop", at("loop"));
  expect((await call("search_text", { pattern: "hit" })).text).toBe("d/a.txt\n1:hit");
  expect((await call("find_files", { glob: "**/*.txt" })).text).toBe("d/a.txt");
  expect((await refusal("read_file", { path: "loop" })).message).toContain("too many links");
});

it("85: when the project is renamed under a session, the tools say so and do not make it anew", async () => {
  const { root, call, refusal } = toolBench({ "a.txt": "one\n" });
  await call("read_file", { path: "a.txt" });
  fs.renameSync(root, `${root}.moved`);
  const calls: [string, object][] = [
    ["read_file", { path: "a.txt" }],
    ["write_file", { path: "b.txt", content: "x" }],
    ["append_file", { path: "a.txt", content: "x" }],
    ["edit_file", { path: "a.txt", old_string: "one", new_string: "two" }],
    ["delete_file", { path: "a.txt" }],
  ];
  for (const [tool, input] of calls) {
    const { message } = await refusal(tool, { ...input });
    expect(message).toContain(`${root} is gone`);
  }
  for (const tool of ["list_files", "search_text"]) await refusal(tool, tool === "list_files" ? {} : { pattern: "x" });
  expect(fs.existsSync(root)).toBe(false);
  expect(fs.readFileSync(`${root}.moved/a.txt`, "utf8")).toBe("one\n");
});

it("85: nor when it is renamed between the plan of a new file and its making", async () => {
  const root = join(tempDir("cinch-gone-"), "project");
  fs.mkdirSync(root);
  const files = createFiles({ root });
  const plan = await files.planCreate("d/a.txt", "x");
  fs.renameSync(root, `${root}.moved`);
  expect(await errorOf(() => files.commit(plan))).toMatchObject({ kind: "missing" });
  expect(fs.existsSync(root)).toBe(false);
});
