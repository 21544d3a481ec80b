import { expect, test } from "vitest";
import { type Candidate, extensionOf, rootFor, serverFor } from "./choose.js";

const candidate = (name: string, extensions: string[], state: Candidate["state"] = "ready", why = ""): Candidate => ({
  plan: { name, source: "x", argv: [name], marks: [], languages: Object.fromEntries(extensions.map((e) => [e, "l"])) },
  state,
  why,
});

test.each([
  ["/p/a.ts", [candidate("one", [".ts"]), candidate("two", [".ts"])], "one"],
  ["/p/a.TS", [candidate("one", [".ts"])], "one"],
  ["/p/a.ts", [candidate("py", [".py"]), candidate("two", [".ts"])], "two"],
  ["/p/a.ts", [candidate("one", [".ts"], "untrusted", "it waits"), candidate("two", [".ts"])], "two"],
])("%s is served by the first that can be started", (path, candidates, name) => {
  expect(serverFor(path, candidates)).toMatchObject({ plan: { name } });
});

test.each([
  ["/p/a.ts", [], "No language server is known for *.ts."],
  ["/p/Makefile", [candidate("one", [".ts"])], "No language server is known for files without an extension."],
  ["/p/a.constructor", [candidate("one", [".ts"])], "No language server is known for *.constructor."],
  [
    "/p/a.ts",
    [candidate("one", [".ts"], "untrusted", "it waits"), candidate("two", [".ts"], "missing", "not found")],
    "No language server for *.ts can be started here (one: it waits; two: not found).",
  ],
] as const)("%s is served by none, and it is said why", (path, candidates, why) => {
  expect(serverFor(path, candidates)).toEqual({ why });
});

test.each([
  ["/p/a.d.ts", ".ts"],
  ["/p.x/Makefile", ""],
  ["/p/.bashrc", ".bashrc"],
  ["/p/a.", "."],
])("the extension of %s is %j", (path, extension) => {
  expect(extensionOf(path)).toBe(extension);
});

test.each([
  ["/p/pkg/src/a.ts", "/p", ["/p/pkg", "/p"], "/p"],
  ["/p/pkg/src/a.ts", "/p", ["/p/pkg"], "/p/pkg"],
  ["/p/pkg/src/a.ts", "/p", ["/p/pkg/src", "/p/other"], "/p/pkg/src"],
  ["/p/pkg/src/a.ts", "/p", [], "/p"],
  ["/x/a.ts", "/", ["/x"], "/x"],
])("the root for %s in %s, with marks in %j, is %s", (path, root, marked, wanted) => {
  expect(rootFor(path, root, (directory) => marked.includes(directory))).toBe(wanted);
});
