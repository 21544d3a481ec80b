// What L1 finds in small projects, and above all what it does not find in sound ones.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { nodeFs } from "../../lib/fs.js";
import type { BuildPlan } from "../plan.js";
import { checkFiles } from "./files.js";

type Files = Record<string, string>;

function planOf(tasks: Record<string, string[]>): BuildPlan {
  const task = ([id, files]: [string, string[]]) => ({
    ...{ id, files, title: id, role: "all", prompt: "make it", exports: {}, accept: [], after: [] },
  });
  return { goal: "g", formation: "f", tasks: Object.entries(tasks).map(task) };
}

/** `file:line task what`, one each; every file is made by a task of its first letter. */
async function faultsOf(files: Files, made = Object.keys(files)): Promise<string[]> {
  const root = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const tasks: Record<string, string[]> = {};
  for (const file of made) tasks[`t-${file[0]}`] = made.filter((other) => other[0] === file[0]);
  const found = await checkFiles(nodeFs, { root, plan: planOf(tasks) });
  return found
    .filter(({ ok }) => !ok)
    .map(({ file, line, task, what }) => `${file}:${line ?? ""} ${task ?? "-"} ${what}`);
}

test.each<[string, Files]>([
  [
    "modules",
    {
      "a.js": 'import b, { c as d } from "./lib/b.js";\nexport * from "./lib/b.js";',
      "lib/b.js": "export default 1; export const { c } = {};",
    },
  ],
  [
    "names handed on",
    { "a.js": 'import { c } from "./b.js";', "b.js": 'export * from "./c.js";', "c.js": "export function c() {}" },
  ],
  [
    "circles",
    {
      "a.js": 'export * from "./b.js"; export const a = 1; import { b } from "./b.js";',
      "b.js": 'export * from "./a.js"; export const b = 2;',
    },
  ],
  [
    "TypeScript by the names of what will be",
    {
      "a.ts": 'import { type B, b } from "./b.js"; import "./c"; import x from "./d.svg?url";',
      "b.ts": "export interface B {} export const b = 1;",
      "c/index.tsx": "export {}",
      "d.svg": "<svg/>",
    },
  ],
  [
    "CommonJS",
    {
      "a.js": 'const { b, c } = require("./b"); const all = require("./c");',
      "b.js": "function b() {}\nmodule.exports = { b, c: 1 };\nif (require.main === module) b();",
      "c.js": "exports.d = 1; module.exports.e = 2;",
    },
  ],
  [
    "CommonJS that cannot be read",
    { "a.js": 'const { b } = require("./b");', "b.js": "Object.assign(exports, make());" },
  ],
  [
    "packages, addresses, names made at run time",
    {
      "a.js":
        'import x from "react"; import("./" + x); require("fs"); import "https://x.example/y.js"; import y from "@/z";',
    },
  ],
  [
    "Python",
    {
      "app/main.py":
        "from .store import load\nfrom . import util\nfrom app.util import *\nimport os, app.store as s\nfrom flask import Flask",
      "app/store.py": "if True:\n    def load(): pass\n",
      "app/util.py": "x = 1",
      "app/__init__.py": "",
    },
  ],
  ["Python that makes names at run time", { "a.py": "from b import anything", "b.py": "globals()['anything'] = 1" }],
  [
    "Python that tries, and modules that are called like those of Python",
    {
      "app/a.py":
        "try:\n    from .fast import run\nexcept ImportError:\n    run = None\nfrom abc import abstractmethod\nimport os.path",
      "app/b.py": "from .a import run",
      "app/abc.py": "x = 1",
      "app/__init__.py": "",
      "os.py": "",
    },
  ],
  [
    "pages",
    {
      "public/index.html":
        '<link rel=stylesheet href="css/a.css?v=1"><script src=/app.js></script><a href="/login">x</a><a href="#top">y</a><img src="data:,x"><img src="{{ logo }}">',
      "public/css/a.css": '@import "./b.css"; a { background: url(../x.png) } /* url(gone.png) */',
      "public/css/b.css": "",
      "public/x.png": "",
      "public/app.js": "",
    },
  ],
  ["pages of templates", { "templates/index.html": '<script src="app.js"></script>', "static/app.js": "" }],
])("nothing is found in sound %s", async (_what, files) => {
  expect(await faultsOf(files)).toEqual([]);
});

test.each<[string, Files, string[]]>([
  ["a file that is not there", { "a.js": "1;" }, ["gone.css: t-g gone.css is not there."]],
  [
    "syntax",
    { "a.js": "let a = 1;\nlet a = 2;" },
    [expect.stringMatching(/^a\.js:2 t-a a\.js does not parse: .*\(2:5\)\.$/)],
  ],
  [
    "a missing import",
    { "a.js": '\nimport { b } from "./b.js";' },
    ['a.js:2 t-a a.js refers to "./b.js", and there is no such file.'],
  ],
  [
    "a missing name",
    { "a.js": 'import { b, c } from "./b.js";', "b.js": "export const c = 1;" },
    ['a.js:1 t-a a.js takes "b" from b.js, which gives c.'],
  ],
  [
    "a missing default",
    { "a.js": 'import b from "./b.js";', "b.js": "export const c = 1;" },
    ['a.js:1 t-a a.js takes "default" from b.js, which gives c.'],
  ],
  [
    "a name that nothing hands on",
    { "a.js": 'export { q } from "./b.js";', "b.js": 'export * from "./c.js";', "c.js": "export const c = 1;" },
    ['a.js:1 t-a a.js takes "q" from b.js, which gives c.'],
  ],
  [
    "a file that gives nothing",
    { "a.js": 'import { b } from "./b.js";', "b.js": "function b() {}" },
    ['a.js:1 t-a a.js takes "b" from b.js, which gives default.'],
  ],
  [
    "CommonJS",
    { "a.cjs": 'const { b } = require("./b.js");\nrequire("./gone");', "b.js": "module.exports = { c: 1 };" },
    [
      'a.cjs:1 t-a a.cjs takes "b" from b.js, which gives c, default.',
      'a.cjs:2 t-a a.cjs refers to "./gone", and there is no such file.',
    ],
  ],
  [
    "Python",
    {
      "app/main.py": "from .store import gone\nfrom .nothing import x\nfrom app import other\n",
      "app/store.py": "def load(): pass\n",
      "app/__init__.py": "",
    },
    [
      'app/main.py:1 t-a app/main.py takes "gone" from app/store.py, which gives load.',
      'app/main.py:2 t-a app/main.py refers to ".nothing", and there is no such file.',
      'app/main.py:3 t-a app/main.py takes "other" from app/__init__.py, which gives nothing.',
    ],
  ],
  [
    "a page",
    { "index.html": '<!doctype html>\n<script src="js/app.js"></script>\n<link rel="stylesheet" href="/site.css">' },
    [
      'index.html:2 t-i index.html refers to "js/app.js", and there is no such file.',
      'index.html:3 t-i index.html refers to "/site.css", and there is no such file.',
    ],
  ],
  [
    "a stylesheet",
    { "a.css": "a {}\nb { background: url('x.png') }" },
    ['a.css:2 t-a a.css refers to "x.png", and there is no such file.'],
  ],
])("%s is found, with file, line and task", async (what, files, faults) => {
  const made = what.startsWith("a file that is not") ? [...Object.keys(files), "gone.css"] : Object.keys(files);
  expect(await faultsOf(files, made)).toEqual(faults);
});

test("what a link leads to outside of the project is not looked at: it is a fault", async () => {
  const base = tempDir();
  const root = join(base, "project");
  mkdirSync(root);
  writeFileSync(join(base, "a.js"), "1;");
  symlinkSync("../a.js", join(root, "a.js"));
  expect(await checkFiles(nodeFs, { root, plan: planOf({ t: ["a.js"] }) })).toEqual([
    expect.objectContaining({ ok: false, task: "t", file: "a.js", what: expect.stringContaining("leads out of it") }),
  ]);
});

test("files that no task names are looked at when others lead to them", async () => {
  const files = { "a.js": 'import "./b.js";', "b.js": "let (" };
  expect(await faultsOf(files, ["a.js"])).toEqual([expect.stringMatching(/^b\.js:1 - b\.js does not parse/)]);
  expect(await faultsOf({ "a.js": "1;", "b.js": "let (" }, ["a.js"])).toEqual([]);
});
