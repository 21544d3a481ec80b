import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FileIndex } from "./file-index.js";

async function indexOf(files: readonly string[]) {
  let [now, lists] = [0, 0];
  const index = new FileIndex({
    now: () => now,
    list: async () => {
      lists++;
      return [...files];
    },
  });
  await index.refresh();
  return { index, lists: () => lists, later: (ms: number) => (now += ms) };
}

const labels = (index: FileIndex, query: string, count = 5) => index.find(query, count).map(({ label }) => label);

describe("a project of 50,000 files", async () => {
  const files = Array.from({ length: 50_000 }, (_, at) => `part${Math.floor(at / 500)}/file-${at}.txt`);
  const { index, lists, later } = await indexOf([...files, "src/needle.ts"]);

  test("is listed once for any number of keys, and again only when the list has become old", async () => {
    for (let n = 1; n <= "needle".length; n++) {
      labels(index, "needle".slice(0, n));
      expect(await index.refresh()).toBe(false);
    }
    expect(labels(index, "needle")).toEqual(["src/needle.ts"]);
    expect(lists()).toBe(1);
    later(5_001);
    expect(await index.refresh()).toBe(true);
    expect(lists()).toBe(2);
  });

  test("finds by any characters in order; the file's own name counts most, then the shorter path", () => {
    expect(labels(index, "file-77", 2)).toEqual(["part0/file-77.txt", "part1/file-770.txt"]);
    expect(labels(index, "sndl")).toEqual(["src/needle.ts"]);
    expect(labels(index, "nothing-like-it")).toEqual([]);
  });
});

test("what is found letter by letter is what is found at once", async () => {
  const name = fc.stringMatching(/^[abAB./]{1,8}$/).filter((path) => !/^\/|\/$|\/\//.test(path));
  const typed = fc.stringMatching(/^[abAB.]{1,4}$/);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 30 }), typed, async (files, word) => {
      const [one, other] = [await indexOf(files), await indexOf(files)];
      for (let n = 1; n < word.length; n++) labels(one.index, word.slice(0, n));
      expect(labels(one.index, word)).toEqual(labels(other.index, word));
    }),
  );
});

test("directories are completed too, and go on; a name with a blank is quoted", async () => {
  const { index } = await indexOf(["src/deep/a b.ts"]);
  expect(index.find("deep", 1)).toEqual([{ insert: "@src/deep/", label: "src/deep/", doc: "" }]);
  expect(index.find("a b", 1)).toEqual([{ insert: '@"src/deep/a b.ts" ', label: "src/deep/a b.ts", doc: "" }]);
});
