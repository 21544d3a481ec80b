import { describe, expect, test } from "vitest";
import { stubScore } from "./stub.js";

const found = (path: string, text: string) => stubScore(path, text).reasons.map(({ line, what }) => `${line} ${what}`);

test.each([
  ["a.py", "def f(x):\n    pass\n", ["1 f is a stub"]],
  ["a.py", 'def f(\n    x,\n) -> int:\n    """Says\n    more."""\n    ...\n', ["1 f is a stub"]],
  ["a.py", "class A:\n    async def f(self): ...\n", ["2 f is a stub"]],
  ["a.py", "def f():\n    raise NotImplementedError('later')  # soon\n", ["1 f is a stub"]],
  ["a.js", "export function f(a, b) {\n}\nconst g = async (x) => { };\n", ["1 f is empty", "3 g is empty"]],
  ["a.ts", "class A {\n  run(a: string): void {}\n}\n", ["2 run is empty"]],
  ["a.ts", 'f(() => {\n  throw new Error("Not implemented");\n});\n', ["2 not implemented"]],
  ["a.rs", "fn f() -> u8 {\n    todo!()\n}\n", ["2 not implemented"]],
  ["a.go", 'func f() {\n\tpanic("not implemented")\n}\n', ["2 not implemented"]],
  ["a.cs", "int F() => throw new NotImplementedException();\n", ["1 not implemented"]],
  ["a.ts", "f(); // TODO: more\n/* FIXME */\n// HACK XXX\n", ["1 TODO", "2 FIXME", "3 HACK"]],
])("%s: %j", (path, text, reasons) => {
  expect(found(path, text)).toEqual(reasons);
});

test.each([
  ["abstract", "a.py", "class A:\n    @abc.abstractmethod\n    def f(self):\n        pass\n"],
  ["a protocol", "a.py", "class A(Protocol):\n    def f(self) -> int: ...\n    def g(self):\n        ...\n"],
  [
    "an abstract base",
    "a.py",
    "class A(Base, metaclass=ABCMeta):\n    def f(self):\n        raise NotImplementedError\n",
  ],
  ["an overload", "a.py", "@overload\ndef f(a: int) -> int: ...\n"],
  ["except: pass", "a.py", "def f():\n    try:\n        g()\n    except OSError:\n        pass\n"],
  ["an empty class", "a.py", "class MyError(Exception):\n    pass\n"],
  ["a stub file", "a.pyi", "def f() -> int: ...\n"],
  ["a callback", "a.js", "f().catch(() => {});\nconst noop = () => {};\n"],
  ["a constructor", "a.ts", "class A {\n  constructor(private x: number) {}\n}\n"],
  ["control flow", "a.js", "while (next()) {}\nfor (;;) {}\n"],
  ["an abstract method", "a.ts", "abstract class A {\n  abstract f(): void;\n}\ninterface B { f(): void }\n"],
  ["spreads and strings", "a.js", 'f(...a, "TODO later");\n'],
  ["prose", "a.md", "TODO: everything\n"],
])("counts nothing: %s", (_, path, text) => {
  expect(stubScore(path, text)).toEqual({ score: 0, reasons: [] });
});

describe("the score", () => {
  const real = (n: number) => `export function f${n}() {\n  return ${n};\n}\n`;
  const empty = (n: number) => `export function e${n}() {}\n`;

  test("is the share of stubs among the functions", () => {
    expect(stubScore("a.ts", empty(1) + empty(2)).score).toBe(1);
    expect(stubScore("a.ts", empty(1) + real(2) + real(3) + real(4)).score).toBe(0.25);
    expect(stubScore("a.ts", `// TODO\n${real(1)}${real(2)}`).score).toBeCloseTo(1 / 6);
  });

  test("is small in a long file", () => {
    expect(stubScore("a.css", `/* TODO */\n${"a { color: red }\n".repeat(200)}`).score).toBeLessThan(0.05);
  });
});
