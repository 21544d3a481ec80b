// No regular expression of the sources takes more than linear time: of what a model, a project, a server or a file says there
// may be megabytes on one line, and nothing interrupts an expression (CONTRACT 6.4). Checked statically, so no input has to be
// found by luck. Those in expressions.json are told with what bounds their text; OPEN is what nothing bounds yet.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { analyse } from "scslre";
import ts from "typescript";
import { expect, test } from "vitest";
import { root } from "../support/run.js";
import { shipped } from "./source.js";

interface Found {
  place: string;
  source: string;
  flags: string;
}

/** `file /source/flags` -> what bounds the text it reads. */
const bounded = JSON.parse(readFileSync(join(root, "test/house/expressions.json"), "utf8")) as Record<string, string>;

function expressions(path: string, text: string): Found[] {
  const found: Found[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const [source, flags] = [node.text.slice(1, end), node.text.slice(end + 1)];
      found.push({ place: `${path} ${node.text}`, source, flags });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

const slow = ({ source, flags }: Found) => analyse({ source, flags }).reports;

test("every expression is linear, or its text is known to be short", () => {
  const all = shipped().flatMap(({ path, text }) => expressions(path, text));
  expect(all.length).toBeGreaterThan(500);
  const reported = new Set(all.filter((each) => slow(each).length > 0).map(({ place }) => place));
  expect([...reported].filter((place) => !Object.hasOwn(bounded, place))).toEqual([]);
  expect(Object.keys(bounded).filter((place) => !reported.has(place))).toEqual([]);
  // However short a text is, this is too slow for it.
  expect(all.filter((each) => slow(each).some(({ exponential }) => exponential))).toEqual([]);
});

test("the check sees what it is for", () => {
  const planted = "const a = /^(a+)+$/; const b = /\\s+$/; const c = /^a+$/;";
  const counts = expressions("x.ts", planted).map((each) => slow(each).length > 0);
  expect(counts).toEqual([true, true, false]);
});

test("expressions are made of text only where it is known what that text is", () => {
  const made = shipped().flatMap(({ path, text }) => (/new RegExp\(/.test(text) ? [path] : []));
  expect(made.sort()).toEqual(madeOfConstants);
});

/** Tables of ours, and names that were read as words before. */
const madeOfConstants: string[] = [
  "applets/git.ts",
  "build/stacks.ts",
  "build/verify/promised.ts",
  "files/content/comments.ts",
  "files/content/omission.ts",
  "files/content/placeholder.ts",
  "files/content/sanitise.ts",
  "permission/command/flags.ts",
  "permission/command/judge-doer.ts",
  "permission/offer.ts",
  "secrets/finders.ts",
];
