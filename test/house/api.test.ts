// The public surface is small and changes only on purpose: it is compared with api.snapshot.txt.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { entries, publicSurface } from "./api.js";
import { root } from "./source.js";

const snapshot = join(root, "test/house/api.snapshot.txt");

test("the public surface is the one in api.snapshot.txt", () => {
  const now = publicSurface();
  if (process.env["CINCH_UPDATE_API"] === "1") writeFileSync(snapshot, now);
  const known = readFileSync(snapshot, "utf8");
  const hint =
    "The public surface changed. If that is meant: CINCH_UPDATE_API=1 npx vitest run test/house/api.test.ts, " +
    "read the diff of test/house/api.snapshot.txt, and add a line to CHANGELOG.md.";
  expect(now, hint).toBe(known);
});

test("the entry points are those of package.json", () => {
  const named = Object.keys(packageJson.exports).map((key) => (key === "." ? "cinch" : `cinch${key.slice(1)}`));
  expect(Object.keys(entries)).toEqual(named);
});

test("a changed type, member or parameter shows", () => {
  const folder = mkdtempSync(join(tmpdir(), "cinch-api-"));
  const surface = (text: string) => {
    writeFileSync(join(folder, "a.ts"), text);
    return publicSurface({ a: "a.ts" }, folder);
  };
  try {
    const first = surface("export interface A { b: string }\nexport function f(a: A): A { return a; }\n");
    expect(first).toBe("# a\n\nconst f: (a: A) => A\ninterface A {\n    b: string;\n}\n");
    expect(surface("export interface A { b: number }\nexport function f(a: A): A { return a; }\n")).not.toBe(first);
    expect(surface("export interface A { b: string }\nexport function f(a: A, b = 1): A { return a; }\n")).not.toBe(
      first,
    );
    expect(
      surface("export interface A { b: string }\n/** Why. */\nexport function f(a: A): A { return { ...a }; }\n"),
    ).toBe(first);
    expect(surface("export class C { #x = 1; private y = this.#x; z(): number { return this.y; } }")).toBe(
      "# a\n\nclass C {\n    z: () => number\n}\n",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
