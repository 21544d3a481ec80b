import { expect, test } from "vitest";
import { isImportAt } from "./imports.js";
import { SourceText } from "./text.js";

/** The line that is asked about is marked with >. */
const ask = (text: string) => {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.startsWith(">"));
  return isImportAt(new SourceText(lines.map((line) => line.replace(/^>/, "")).join("\n")), at + 1);
};

test.each([
  '>import { a } from "./a.js";',
  '>export { a } from "./a.js";',
  ">from shapes import make",
  ">use crate::shape::Box;",
  '>#include "shape.h"',
  '>const { a } = require("./a");',
  'import {\n>  a,\n  b,\n} from "./a.js";',
  'import {\n  a,\n>  b as c,\n} from "./a.js";',
  'import type {\n  // what it is\n>  a,\n} from "./a.js";',
  'import D, {\n>  a,\n} from "./a.js";',
  'export {\n>  a,\n} from "./a.js";',
  'export type {\n>  a,\n} from "./a.js";',
  'const {\n>  a,\n} = require("./a");',
  "from shapes import (\n>    make,\n)",
  "use crate::{\n    b::{c, d},\n>    shape::Box,\n};",
  'import (\n>\t"fmt"\n)',
])("is one: %s", (text) => {
  expect(ask(text)).toBe(true);
});

test.each([
  ">export function area() {}",
  'import { a } from "./a.js";\n>const b = 1;',
  'import {\n  a,\n} from "./a.js";\n>const b = 1;',
  "export class Box {\n>  side = 1;\n}",
  "const {\n>  a,\n} = settings;",
  "import shapes\n\n>make = 1",
  "import {\n>  a,",
])("is none: %s", (text) => {
  expect(ask(text)).toBe(false);
});
