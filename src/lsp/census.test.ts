import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { Census } from "./census.js";

function place() {
  const root = tempDir("cinch-census-");
  const write = (name: string, text: string) => {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const name of ["a.x", "deep/b.x", "mark", "other.y", "node_modules/c.x", ".hidden/d.x"]) write(name, "text\n");
  const census = new Census(nodeFs, root, { languages: { ".x": "x" }, marks: ["mark"] });
  const look = () => census.look().map(({ path, type }) => [path.slice(root.length + 1), type]);
  return { root, write, census, look };
}

test("what is new, changed and gone, once; of no other kind of file, and not what is installed or hidden", () => {
  const { root, write, look } = place();
  expect(look()).toEqual([]);
  for (const name of ["a.x", "deep/new.x", "mark", "other.y", "node_modules/c.x", ".hidden/d.x"])
    write(name, "longer\n");
  rmSync(join(root, "deep/b.x"));
  expect(look()).toEqual([
    ["a.x", 2],
    ["mark", 2],
    ["deep/new.x", 1],
    ["deep/b.x", 3],
  ]);
  expect(look()).toEqual([]);
});

test("what the server was told of is not told again, until it changes again", () => {
  const { root, write, census, look } = place();
  for (const name of ["a.x", "new.x", "other.y"]) write(name, "longer\n");
  rmSync(join(root, "deep/b.x"));
  for (const name of ["a.x", "new.x", "other.y", "deep/b.x"]) census.told(join(root, name));
  expect(look()).toEqual([]);
  write("a.x", "longer still\n");
  expect(look()).toEqual([["a.x", 2]]);
});

test("a root that cannot be listed has no files", () => {
  const census = new Census(nodeFs, "/no/such/root", { languages: { ".x": "x" }, marks: [] });
  expect(census.look()).toEqual([]);
});
