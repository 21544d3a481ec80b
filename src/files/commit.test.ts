// From a plan to the disk: deletions, the digest that is approved, the bytes that are handed out before they go, and disks
// that fail at any call. Whatever happens, a file is old or new, never half.

import fs from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { faultyDisk } from "../../test/support/faulty-disk.js";
import { append, create, edit, project } from "../../test/support/project-files.js";
import { refused } from "../../test/support/refusal.js";
import { ModelError } from "../core/errors.js";
import type { Files } from "../core/ports.js";
import { sha256 } from "../lib/hash.js";
import { isTempName } from "../lib/temp-name.js";
import { createFiles, type FilesOptions } from "./door.js";
import { SeenFiles } from "./seen.js";

test("deletes a file, also a binary one, and refuses when it changed", async () => {
  const { files, at, text } = project({ "a.bin": Buffer.from([0, 1]), "b.txt": "b" });
  await files.commit(await files.planDelete("a.bin"));
  expect(fs.existsSync(at("a.bin"))).toBe(false);
  const plan = await files.planDelete("b.txt");
  fs.writeFileSync(at("b.txt"), "new");
  expect((await refused(files.commit(plan))).kind).toBe("stale");
  expect(text("b.txt")).toBe("new");
  expect((await refused(files.planDelete("a.bin"))).kind).toBe("missing");
});

test("the digest tells different plans apart and is the same for the same plan", async () => {
  const { files } = project({ "a.txt": "a\n" });
  const digest = async (path: string, text: string) => (await files.planAppend(path, text)).digest;
  expect(await digest("a.txt", "x")).toBe(await digest("a.txt", "x"));
  const all = [
    await digest("a.txt", "x"),
    await digest("a.txt", "y"),
    await digest("b.txt", "x"),
    (await files.planDelete("a.txt")).digest,
  ];
  expect(new Set(all).size).toBe(4);
});

test("the bytes to be replaced are handed out before the change", async () => {
  const preImage = vi.fn((path: string) => (fs.existsSync(path) ? fs.readFileSync(path, "utf8") : null));
  const { files, at } = project({ "a.txt": "old\n" }, { preImage });
  fs.chmodSync(at("a.txt"), 0o640);
  await append(files, "a.txt", "more\n");
  await create(files, "b.txt", "");
  await files.commit(await files.planDelete("a.txt"));
  expect(preImage.mock.calls).toEqual([
    [at("a.txt"), Buffer.from("old\n"), 0o640, Buffer.from("old\nmore\n"), []],
    [at("b.txt"), null, null, Buffer.from(""), []],
    [at("a.txt"), Buffer.from("old\nmore\n"), 0o640, null, []],
  ]);
  expect(preImage.mock.results.map((result) => result.value)).toEqual(["old\n", null, "old\nmore\n"]);
});

const deeds: Record<string, (files: Files) => Promise<unknown>> = {
  create: (files) => create(files, "new.txt", "the new content\n"),
  append: (files) => append(files, "a.txt", "more content\n"),
  edit: (files) => edit(files, "a.txt", "one", "uno"),
  delete: async (files) => files.commit(await files.planDelete("a.txt")),
};

test.each(
  Object.keys(deeds).flatMap((deed) => [
    { deed, code: "ENOSPC", forever: false },
    { deed, code: "EIO", forever: true },
  ]),
)("$deed: $code at any call (for ever: $forever) leaves old or new, never half", async ({ deed, code, forever }) => {
  const act = deeds[deed] as (files: Files) => Promise<unknown>;
  const before = "one\ntwo\n";
  const after = {
    create: "the new content\n",
    append: `${before}more content\n`,
    edit: "uno\ntwo\n",
    delete: undefined,
  }[deed];
  const name = deed === "create" ? "new.txt" : "a.txt";
  let tried = 0;
  for (let at = 1, done = false; !done; at++) {
    const { root } = project({ "a.txt": before });
    const seen = new SeenFiles();
    seen.mark(join(root, "a.txt"), sha256(before));
    const calm = faultyDisk({ at: 0, code });
    createFiles({ root, disk: calm.disk });
    const { disk, failed } = faultyDisk({ at: at + calm.calls(), code, forever });
    const outcome = await act(createFiles({ root, disk, seen })).then(
      () => null,
      (error: unknown) => error,
    );
    const now = fs.existsSync(join(root, name)) ? fs.readFileSync(join(root, name), "utf8") : undefined;
    if (outcome === null) expect(now).toBe(after);
    else {
      expect(outcome).toBeInstanceOf(ModelError);
      expect(now).toBe(deed === "create" ? undefined : before);
      tried++;
    }
    if (!forever && failed() !== "unlinkSync") expect(fs.readdirSync(root).filter(isTempName)).toEqual([]);
    done = failed() === undefined;
  }
  expect(tried).toBeGreaterThan(8);
});

test("no permission: the reason, nothing changed, no temp file", async () => {
  const disk = {
    ...fs,
    openSync: (...args: Parameters<typeof fs.openSync>) =>
      String(args[0]).includes(".cinch-") ? deny() : fs.openSync(...args),
  };
  const { files, root } = project({ "a.txt": "a\n" }, { disk: disk as FilesOptions["disk"] & object });
  await expect(append(files, "a.txt", "b\n")).rejects.toThrow(
    "a.txt: permission denied (EACCES). Nothing was changed.",
  );
  expect(fs.readdirSync(root)).toEqual(["a.txt"]);
});

function deny(): never {
  throw Object.assign(new Error("EACCES"), { code: "EACCES" });
}
