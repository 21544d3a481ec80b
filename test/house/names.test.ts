// Names (DESIGN §1.5, §7): files are named for what they hold, and nobody outside a tool's file knows the tool's name.
// Comments, docs and tests may name tools; identifiers and strings of shipped code may not.

import { expect, test } from "vitest";
import exceptions from "./exceptions.json" with { type: "json" };
import { type Source, shipped, sources, toolsOf, wordsOf } from "./source.js";

const vague = /(^|[-_])(managers?|helpers?|utils?|services?|common|misc|stuff)([-_.]|$)/;
const vagueType = /(Manager|Helper|Util|Utils|Service)$/;
const tools = toolsOf(shipped());

const misnamed = (paths: string[]) =>
  paths.filter((path) => {
    if (path.split("/").some((part) => vague.test(part))) return true;
    const parts = path.replace(/(\.test|\.gen|\.d)?\.tsx?$/, "").split("/");
    return parts.some((part) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(part));
  });

const vagueTypes = (files: Source[]) =>
  files.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:class|interface|type|enum)\s+(\w+)/g)]
      .filter(([, name]) => vagueType.test(name ?? ""))
      .map(([, name]) => `src/${path} ${name}`),
  );

/** Places in shipped code that know a tool by name, as `src/file:line name`. */
const knowing = (files: Source[], names: string[]) => {
  const pattern = new RegExp(`\\b(${names.join("|")})\\b`);
  return files.flatMap((source) =>
    wordsOf(source).flatMap(({ text, line }) => {
      const name = pattern.exec(text)?.[1];
      return name && source.path !== `tools/${name.replaceAll("_", "-")}.ts`
        ? [`src/${source.path}:${line} ${name}`]
        : [];
    }),
  );
};

test("the scanner saw files and tools", () => {
  expect(sources().length).toBeGreaterThan(40);
  expect(tools.size).toBeGreaterThanOrEqual(10);
});

test("files are named in kebab-case for what they hold; a tool's file has the tool's name", () => {
  for (const [name, { text }] of tools) expect(text).toContain(`name: "${name}"`);
  expect(misnamed(sources().map(({ path }) => path))).toEqual([]);
  expect(vagueTypes(shipped())).toEqual([]);
});

test("nothing outside a tool's file knows the tool's name", () => {
  const excused = Object.keys(exceptions.names);
  const files = shipped().filter(({ path }) => !excused.includes(path));
  expect(knowing(files, [...tools.keys()])).toEqual([]);
});

test("an exception is for a file that still needs it", () => {
  for (const path of Object.keys(exceptions.names)) {
    const files = shipped().filter((source) => source.path === path);
    expect(knowing(files, [...tools.keys()]), path).not.toEqual([]);
  }
});

test("every file that ships opens with a comment that says what it is", () => {
  const opening = /^(#!.*\n)?(\/\/ \S|\/\*\*?[ \n])/;
  const bare = shipped().filter(({ text }) => !opening.test(text));
  expect(bare.map(({ path }) => path)).toEqual([]);
});

test("planted violations are found", () => {
  expect(misnamed(["lib/fileUtils.ts", "lib/path-utils.ts", "common/a.ts", "lib/a_b.ts", "lib/a-b.ts"])).toHaveLength(
    4,
  );
  expect(vagueTypes([{ path: "lib/a.ts", text: "export class SessionManager {}" }])).toHaveLength(1);
  const branch = { path: "agent/a.ts", text: '// dig_hole\nif (tool === "dig_hole") stop();' };
  const sentence = { path: "prompt/a.ts", text: "const text = `use dig_hole on $" + "{x}`;" };
  const identifier = { path: "agent/b.ts", text: "const rules = { dig_hole: 1, dig_holes: 2 };" };
  const own = { path: "tools/dig-hole.ts", text: 'const name = "dig_hole";' };
  expect(knowing([branch, sentence, identifier, own], ["dig_hole"])).toEqual([
    "src/agent/a.ts:2 dig_hole",
    "src/prompt/a.ts:1 dig_hole",
    "src/agent/b.ts:1 dig_hole",
  ]);
});
