// What survives a power failure, as far as calls can show it: the bytes are synced before they take their name, and the
// directories before the answer is given. Power itself cannot be tested here.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type Fs, nodeFs } from "../../src/lib/fs.js";
import { stage } from "../support/stage.js";

/** The real disk, and what was done to files below `root`: `write`, `sync` and `name` of each path, in order. */
function watched(root: () => string) {
  const done: string[] = [];
  const open = new Map<unknown, string>();
  const note = (what: string, path: string | undefined) => {
    if (path?.startsWith(root())) done.push(`${what} ${path.slice(root().length + 1)}`);
  };
  /** Names are looked up in a directory that is held open. */
  const placeOf = (path: unknown) =>
    String(path).replace(/^\/proc\/self\/fd\/(\d+)/, (held, fd) => open.get(Number(fd)) ?? held);
  const named = new Map<string, string>();
  const disk = new Proxy(nodeFs, {
    get(real, name: keyof Fs) {
      const call = real[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        const path = open.get(args[0]);
        if (name === "writeSync") note("write", path);
        if (name === "fsync") note("sync", path);
        if (name === "linkSync" || name === "renameSync") {
          named.set(placeOf(args[0]), placeOf(args[1]));
          note("name", placeOf(args[0]));
        }
        if (name === "unlinkSync") note("remove", placeOf(args[0]));
        const result = call.apply(real, args);
        if (name === "openSync") open.set(result, placeOf(args[0]));
        return result;
      };
    },
  });
  /** Temp files under the name they took. */
  const story = () =>
    done.map((line) => {
      const [what, path = ""] = line.split(" ");
      return `${what} ${(named.get(join(root(), path)) ?? join(root(), path)).slice(root().length + 1)}`;
    });
  return { disk, story };
}

it("every write is synced before it takes its name, and its directory before the run ends", async () => {
  const call = (name: string, input: object) => ({ calls: [{ id: name, name, input }] });
  const at = await stage([
    call("write_file", { path: "d/new.txt", content: "new\n" }),
    call("append_file", { path: "e/old.txt", content: "more\n" }),
    call("delete_file", { path: "f/gone.txt" }),
    { text: "done" },
  ]);
  for (const path of ["e/old.txt", "f/gone.txt"]) {
    mkdirSync(dirname(join(at.root, path)));
    writeFileSync(join(at.root, path), "old\n");
  }
  const { disk, story } = watched(() => at.root);
  const session = await at.open({ fs: disk });
  expect(await session.send("go")).toMatchObject({ exit_code: 0 });
  const told = story();
  for (const path of ["d/new.txt", "e/old.txt"]) {
    const order = told.filter((line) => line.endsWith(` ${path}`) && !line.startsWith("remove"));
    expect(order).toEqual([`write ${path}`, `sync ${path}`, `name ${path}`]);
    expect(told.lastIndexOf(`sync ${dirname(path)}`)).toBeGreaterThan(told.indexOf(`name ${path}`));
  }
  expect(told.lastIndexOf("sync f")).toBeGreaterThan(told.indexOf("remove f/gone.txt"));
  expect(told).toContain("remove f/gone.txt");
});
