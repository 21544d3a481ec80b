// What is written down rather than run, by examples, a row a language: data, pages and their styles.
// Programs are samples.test.

import { type Samples, samplesHold } from "../../test/support/samples.js";

const languages: Samples[] = [
  {
    file: "a.json",
    valid: ["{}", '{"a": [1, -2.5e3, null, true, "\\u00e9\\n"]}\n', "3"],
    broken: [
      ["2:1", '{"a": 1,\n}\n'],
      ["1:6", '{"a":}'],
      ["1:6", '{"a" 1}'],
      ["1:1", '// no\n{"a": 1}'],
      ["1:2", "{'a': 1}"],
      ["2:8", '{\n  "a": "x\ty"}'],
      ["1:1", ""],
    ],
  },
  {
    file: "tsconfig.json",
    valid: ['// yes\n{ "a": [1, 2,], /* b */ }\n', ""],
    broken: [
      ["2:8", '{\n  "a": }\n'],
      ["1:7", '{ "a" 1 }'],
      ["1:4", "[1 2]"],
    ],
  },
  {
    file: "a.yaml",
    valid: [
      "a: 1\nb:\n  - c: {d: e}\n  - |\n    text: x\n",
      "a: &x {b: 1}\nc:\n  <<: *x\n  <<: *x\n---\n- !Ref Y\n",
      `run: echo \${{ github.ref }}\n`,
    ],
    broken: [
      ["3:1", "a: 1\nb: 2\na: 3\n"],
      ["3:1", "a:\n  - b\n c: 1\n"],
      ["2:1", "a:\n\tb: 1\n"],
      ["1:4", "a: b: c\n"],
      ["2:1", "a: [1, 2\n"],
    ],
  },
  {
    file: "a.toml",
    valid: ["[a]\nb = 1\nc = [\"x\", 'y']\n[[d]]\ne = 1979-05-27T07:32:00Z\n[[d]]\n"],
    broken: [
      ["1:5", "a = \n"],
      ["2:1", "a = 1\na = 2\n"],
      ["1:3", "[a\nb = 1\n"],
      ["2:7", "a = 1\nb = 1 c = 2\n"],
    ],
  },
  {
    file: "a.html",
    valid: [
      "",
      "<!doctype html>\n<html><head><title>x</title><style>a { color: red; }</style></head>\n<body><p>One<p>Two<br><script>let a = '<p>';</script></body></html>\n",
      "<script type='text/template'>{{ ( }}</script><script>var a = {{ x }};</script>\n",
      '<script type="application/json">{"a": 1}</script><script src="a.js"></script>\n',
    ],
    broken: [
      ["2:1", "<p>\n<script>\nlet a = 1;\n"],
      ["3:9", "<body>\n<script>\nlet b = ;\n</script>\n</body>\n"],
      ["1:14", "<style>aaa { color red; }</style>\n"],
      ["1:34", '<script type="application/json">{a: 1}</script>\n'],
      ["1:1", "<style>a { color: red; }\n<p>\n"],
    ],
  },
  {
    file: "a.css",
    valid: [
      "",
      ":root { --a: 1px; --set: {a} ; --empty: ; }\n.b { & > i { color: red } .c & { margin: 0 } &:hover { x: y } }\n",
      "@layer a, b;\n@container (width < 14em) { a { b: c } }\n@media (400px <= width <= 700px) { a { b: c } }\n",
      "@import url('x.css') layer(y);\na[href^='x' i]:has(> b):is(p, q)::before { content: '\\201C'; width: calc(1px + (2 * var(--x, 3px))); }\n",
      "@property --x { syntax: '<length>'; inherits: false; initial-value: 0px; }\n.x { *zoom: 1; inset: 0; color: red ! important }\n",
    ],
    broken: [
      ["1:3", "a {\n  color: red;\n"],
      ["1:4", ".a {\n  color: red;\n\n.b {\n  top: 0;\n}\n"],
      ["2:3", "a {\n  color red;\n}\n"],
      ["1:18", "a { color: red; }}\n"],
      ["1:15", "a { color: rgb(1, 2; }\n"],
      ["2:13", "a {\n  color: red\n  width: 3px;\n}\n"],
    ],
  },
];

samplesHold(languages);
