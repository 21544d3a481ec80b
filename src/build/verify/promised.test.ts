import { expect, test } from "vitest";
import { unkept } from "./promised.js";

test.each<[string, string, string]>([
  ["a.js", "export function start() {}", "start"],
  ["a.js", "const start = 1; export { start as go };", "go"],
  ["a.js", "export * from './b.js';", "start"],
  ["a.js", "exports.start = () => 1;", "start"],
  ["a.js", "module.exports = { start };", "start"],
  ["a.js", "module.exports = 1;", "default"],
  ["a.js", "export class Store { save() {} }", "save"],
  ["a.js", "export class Store { save() {} }", "Store.save"],
  ["a.ts", "export interface Start { a: 1 }", "Start"],
  ["page.js", "function start() { tick(); }", "start"],
  ["page.js", "window.start = () => tick();", "start"],
  ["page.js", "export default function start() {}", "start"],
  ["a.js", "does not parse (start", "start"],
  ["a.py", "def start():\n    pass\n", "start"],
  ["a.py", "class Store:\n    def save(self):\n        pass\n", "save"],
  ["a.py", "from b import *", "start"],
  ["a.html", "<p id=start-button>", "start-button"],
  ["a.css", "#start { color: red }", "start"],
  ["a.go", "func Start() {}", "Start"],
])("%s that says %s gives %s", async (file, text, name) => {
  expect(await unkept(file, text, [name])).toEqual([]);
});

test.each<[string, string, string]>([
  ["a.js", "// start\nexport const go = 1;", "start"],
  ["a.js", "/* start\n start */\nfunction go() {}", "start"],
  ["a.js", "function start() {}\nexport const go = start;", "start"],
  ["a.js", "function start() {}\nmodule.exports = { go: start };", "start"],
  ["a.js", "import { start } from './b.js';\nexport const go = start;", "start"],
  ["a.py", "# start\ngo = 1\n", "start"],
  ["a.py", '"""start"""\ngo = 1\n', "start"],
  ["a.html", "<!-- start --><p id=go>", "start"],
  ["a.css", "/* start */ a {}", "start"],
  ["a.go", "// Start\nfunc Go() {}", "Start"],
])("%s that says %s does not give %s", async (file, text, name) => {
  expect(await unkept(file, text, [name])).toEqual([name]);
});

test("however deep a text is nested, it is read", async () => {
  const deep = Array.from({ length: 20_000 }, (_, i) => `"${i}"`).join(" + ");
  expect(await unkept("a.js", `exports.start = ${deep};`, ["start", "stop"])).toEqual(["stop"]);
});
