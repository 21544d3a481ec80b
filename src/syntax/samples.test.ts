// Programs by examples, a row a language; a further language is a further row.
// What is written down rather than run (data, pages, styles) is document-samples.test.

import { type Samples, samplesHold } from "../../test/support/samples.js";

const languages: Samples[] = [
  {
    file: "a.js",
    valid: [
      "",
      "#!/usr/bin/env node\nimport a from 'b';\nexport const f = async () => { for await (const x of a) await x?.y ?? 1; };\n",
      "const { a } = require('a');\nif (!a) return;\nmodule.exports = a;\n",
      "const App = () => <div className='x'>{1}</div>;\nclass A { #x = 1; static { this.y = 2; } get z() { return this.#x; } }\n",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the program's.
      "const s = `a ${`b ${1}`}`, r = /[/]\\/(?<n>x)/v;\nlabel: for (;;) { break label; }\n",
    ],
    broken: [
      ["2:9", "let a = 1;\nlet b = ;\n"],
      ["3:1", "function f() {\n  return [1, 2];\n"],
      ["2:5", "let a = 1;\nlet a = 2;\n"],
      ["1:9", "let s = 'abc\nlet t = 1;\n"],
      ["1:1", "<<<<<<< HEAD\nlet a = 1;\n=======\nlet a = 2;\n>>>>>>> other\n"],
      ["1:25", "let ä = '😀😀'; let b = ;\n"],
    ],
  },
  {
    file: "a.ts",
    valid: [
      "abstract class A<in out T> { declare x: T }\nexport type * from './x';\nenum E { A }\n",
      "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: unknown) { return a satisfies unknown; }\n",
      "declare module 'x' { const y: number; export default y }\nlet z = <number>1;\n@dec class B { @dec accessor x = 1 }\n",
    ],
    broken: [
      ["1:10", "const a: = 1;\n"],
      ["2:3", "interface A {\n  : string;\n}\n"],
      ["3:1", "type A = {\n  b: string;\n"],
      ["1:14", "let x: any = ;\n"],
    ],
  },
  {
    file: "a.tsx",
    valid: ["export const A = <T,>(p: { x: T }) => <><B {...p} key='1'>{p.x as any}</B></>;\n"],
    broken: [
      ["3:3", "const A = () => <div>\n  <span>\n</div>;\n"],
      ["1:21", "const A = <div xyz= />;\n"],
      ["1:25", "const A = () => <div>{1}\n;\n"],
    ],
  },
  {
    file: "a.py",
    valid: [
      "",
      'def f(a, /, *, b: int = 1) -> None:\n    """Doc\n  string."""\n    if a: return\n    x = (1,\n  2)\n    y = f"{x!r:>{b}}"\n',
      "match a:\n    case {'x': [1, *_]} if b:\n        pass\n    case _: ...\nasync def g():\n\tasync with x as y, z:\n\t\tyield (n := 1)\n",
      "class A: pass\n# comment\n  # comment\ntry:\n    pass\nexcept* E as e:\n    pass\nelse:\n  x = 1 + \\\n2\n",
      "@d\ndef f[T](x: T): return lambda: (yield)\ntype X = int | None\n",
    ],
    broken: [
      ["1:7", "def f(:\n    pass\n"],
      ["2:1", "class A:\ndef f(): pass\n"],
      ["2:4", "x = 1\n   y = 2\n"],
      ["3:3", "if a:\n    b\n  c\n"],
      ["1:5", "x = [1, 2\ny = 3\n"],
      ["3:9", "def f():\n\treturn 1\n        return 2\n"],
      ["1:15", 'é = "😀"; b = = 2\n'],
      // A header without its colon: at its end.
      ["1:8", "def f()\n    return 1\n"],
      ["3:8", "x = 1\n\ndef f()  # why\n    return 1\n\ndef g():\n    return 2\n"],
      ["2:8", "x = 1\nclass A\n    def f(self):\n        return 1\n"],
      ["2:16", "class A:\n    def f(self)\n        return 1\n\n    def g(self):\n        return 2\n"],
      ["2:9", "def f(a,\n      b)\n    return 1\n\nx = 2\n"],
      ["1:16", "def f(a) -> int\r\n    return 1\r\n"],
      ["1:14", "async def f()\n    return 1\n"],
      ["1:5", "if x\n    y = 2\n"],
      ["3:5", "if x:\n    y = 2\nelse\n    y = 3\n"],
      ["3:7", "if a:\n    pass\nelif b\n    pass\n"],
      ["1:11", "for i in x\n    y = 2\nz = 1\n"],
      ["1:8", "while x\n    y = 2\n"],
      ["1:4", "try\n    y = 2\nexcept E:\n    y = 3\n"],
      ["3:9", "try:\n    y = 2\nexcept E\n    y = 3\n"],
      ["1:12", "with a as b\n    y = 2\n"],
      ["1:8", "match a\n    case 1:\n        pass\n"],
      ["2:11", "match a:\n    case 1\n        pass\n"],
      ["1:12", 'if x == "("\n    y = 2\n'],
      // Not in a string, and not where something else is wrong.
      ["6:5", 'def f():\n    """\n    if x\n        y\n    """\nx = = 2\n'],
      ["2:9", "if x:\n    y = = 2\n"],
      ["1:11", "if x: y = = 2\n"],
    ],
  },
  {
    file: "a.rs",
    valid: [
      "use std::{io, fmt::Write as _};\nmacro_rules! m { ($x:expr) => { $x + 1 } }\nfn f<'a, T: Copy + 'a>(x: &'a [T]) -> Option<T> { x.first().copied() }\n",
      'pub async fn g() -> Result<(), Box<dyn Error>> {\n    let Some(x) = h().await? else { return Ok(()) };\n    println!("{x:?}", x = r#"a"b"#);\n    Ok(())\n}\n',
    ],
    broken: [
      ["2:11", "fn main() {\n    let x = ;\n}\n"],
      ["1:12", "use std::io\nfn main() {}\n"],
      ["2:18", 'fn main() {\n    println!("a";\n}\n'],
      ["2:10", "fn main() {\n    if x {\n        f();\n}\n"],
      ["2:10", "fn f() {\n    if x {\n        g();\n}\n\nfn h() {\n}\n"],
    ],
  },
  {
    file: "a.go",
    valid: [
      'package main\n\nimport (\n\t"fmt"\n)\n\ntype A[T any] struct {\n\tX T `json:"x"`\n}\n\nfunc (a *A[T]) F(xs ...int) (n int, err error) {\n\tdefer func() { recover() }()\n\tfor i := range xs {\n\t\tfmt.Println(i)\n\t}\n\tselect {\n\tdefault:\n\t}\n\treturn\n}\n',
    ],
    broken: [
      ["3:11", "package a\n\nfunc main( {\n}\n"],
      ["4:6", "package a\n\nfunc f() {\n\tx := \n}\n"],
      ["4:7", "package a\n\nfunc f() {\n\tif x {\n\t\tg()\n}\n"],
      ["4:7", "package a\n\nfunc f() {\n\tif x {\n\t\tg()\n}\n\nfunc h() {\n}\n"],
      ["3:10", "package a\n\nfunc f() {\n\tg()\n\nfunc h() {\n}\n"],
      // As many closing ones: the grammar has the word.
      ["9:6", "package a\n\nfunc f() {\n\tg(1,\n\t\tfunc() {\n\t\t\tx()\n\t})\n\n\ty := \n}\n"],
    ],
  },
  {
    file: "A.java",
    valid: [
      'package a;\n\nimport java.util.*;\n\npublic sealed interface A permits B {\n  record P(int x, List<? extends A> y) {}\n  default String f(Object o) {\n    return switch (o) { case Integer i when i > 1 -> "a"; default -> { yield """\n      b"""; } };\n  }\n}\n',
    ],
    broken: [
      ["3:11", "class A {\n  void f() {\n    int x = ;\n  }\n}\n"],
      ["3:14", "class A {\n  void f() {\n    int x = 1\n  }\n}\n"],
      ["2:10", "class A {\n  void f( {\n  }\n}\n"],
      ["1:9", "class A {\n  void f() {\n  }\n"],
      ["3:12", "class A {\n  void f() {\n    if (x) {\n      g();\n  }\n\n  void h() {\n  }\n}\n"],
    ],
  },
  {
    file: "a.sh",
    valid: [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the program's.
      '#!/bin/bash\nset -euo pipefail\nf() { local x=$1; [[ $x =~ ^a+$ ]] && echo "${x%%.*} $(date +%s)"; }\nwhile read -r l; do case $l in a|b) ;; *) f "$l";; esac; done < <(ls)\ncat <<\'EOF\'\nif (\nEOF\narr=(a b); echo "${arr[@]:1}" >&2 || true\n',
    ],
    broken: [
      ["3:1", "if true; then\n  echo a\n"],
      ["1:6", 'echo "abc\n'],
      ["3:1", "for i in 1 2; do\n  echo $i\n"],
      ["1:5", "f() {\n  echo a\n"],
    ],
  },
  {
    file: "A.cs",
    valid: ['namespace A;\npublic record B(int X) { public string? Y { get; init; } = $"{X}"; }\n'],
    broken: [
      ["3:11", "class A {\n  void F() {\n    int x = ;\n  }\n}\n"],
      ["2:9", "class A {\n  void F( {\n  }\n}\n"],
      ["2:12", "class A {\n  void F() {\n"],
    ],
  },
  {
    file: "a.cpp",
    valid: [
      "#include <vector>\n#define X(a) {a}\nAPI_EXPORT(int) f(void);\nclass A : public B { Q_OBJECT\n public: auto operator<=>(const A&) const = default; };\n",
      "#ifdef X\nif (a) {\n#else\nif (b) {\n#endif\n}\n",
      "template <typename T> concept C = requires(T t) { t.f(); };\nint main() { auto f = [&](auto x) -> int { return x; }; return f(1); }\n",
    ],
    broken: [
      ["1:20", "int main() { int x = ; }\n"],
      ["2:11", "int f() {\n  return 1\n}\n"],
      ["2:10", "int f() {\n  if (x) { g(); \n }"],
      ["2:10", "int f(void) {\n  if (x) {\n    g();\n}\n\nint h(void) {\n  return 1;\n}\n"],
    ],
  },
  {
    file: "a.php",
    valid: [
      "<p><?php foreach ($a as $k => ['x' => $y]): ?><?= $y ?><?php endforeach;\nenum S: string { case A = 'a'; }\n",
    ],
    broken: [
      ["2:12", "<?php\nfunction f( {\n}\n"],
      ["2:4", "<?php\n$x = ;\n"],
      ["2:14", "<?php\nfunction f() {\n  return 1;\n"],
    ],
  },
  {
    file: "a.rb",
    valid: [
      'class A < B\n  def f(x, *y, z: 1, &b) = x&.g { |i| puts "#{i}" }\nend\n%w[a b].each do |w| puts w unless w =~ /a/ end\n',
    ],
    broken: [
      ["1:1", "def f\n  1\n"],
      ["1:10", "x = [1, 2\n"],
      ["1:14", "class A; end end\n"],
    ],
  },
  {
    file: "a.ps1",
    valid: ["param([string]$A = 'x')\nfunction Get-X { Get-ChildItem | Where-Object { $_.Name -like \"*$A*\" } }\n"],
    broken: [
      ["1:22", "function f { if ($a) {\n"],
      ["1:1", "$x = @(1, 2\n"],
      ["1:4", "if ($a { 1 }\n"],
    ],
  },
];

samplesHold(languages);
