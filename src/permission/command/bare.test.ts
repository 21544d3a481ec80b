// Commands of bare words: what is read without the grammar is what the grammar says, and the grammar stays away.

import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { loadGrammar, type Parse } from "../../lib/tree-sitter.js";
import { readBare } from "./bare.js";
import { readWith } from "./index.js";
import { reserved } from "./plain.js";

let parse: Parse;
beforeAll(async () => {
  parse = await loadGrammar("bash");
});

const builtins = execFileSync("bash", ["-c", "compgen -bk"], { encoding: "utf8" }).trim().split("\n");
const letters = "abzAZ019_./:@%+,=-".split("");
const word = fc.oneof(
  fc.constantFrom(
    ...builtins,
    ...reserved,
    "npm",
    "1",
    "-",
    "--",
    "--depth=1",
    "-o=x.y",
    "a=b",
    "./x",
    ".",
    "..",
    "-n",
    "%1",
    "+x",
    "a,b",
  ),
  fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom(...letters) }),
);

it("is read as the grammar reads it", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.constantFrom(" ", "  "), (words, blank) => {
      const text = words.join(blank);
      const bare = readBare(text);
      if (bare === null) return;
      compared++;
      expect(bare, text).toEqual(readWith(parse, text));
    }),
    { numRuns: 5_000 },
  );
  expect(compared).toBeGreaterThan(500);
});

it.each(builtins)("%s, alone and with words", (name) => {
  for (const text of [name, `${name} a`, `${name} -x a=b`]) {
    const bare = readBare(text);
    if (bare !== null) expect(bare, text).toEqual(readWith(parse, text));
  }
});

it.each([
  "",
  " ls",
  "ls ",
  "- -o=x.y a",
  "a=b",
  "a=b ls",
  "ls;ls",
  "ls\tx",
  "ls\nid",
  "ls\n",
  "ls é",
  "ls *",
  "ls ~",
  "ls $x",
  "ls `id`",
  "ls 'a'",
  "ls \\a",
  "if",
  "! ls",
  "{ ls",
  "export a",
  "ls >x",
  "ls #x",
  "ls &",
])("%j is left to the grammar", (text) => {
  expect(readBare(text)).toBeNull();
});
