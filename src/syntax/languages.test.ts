// Which files have a verdict: by their name, or by their first line where the name says nothing. What no parser here can
// judge fairly (dialects, templates, very large files) has none, and the reason is said.

import { describe, expect, it } from "vitest";
import { places } from "../../test/support/samples.js";
import { faultsIn } from "./verdict.js";

describe("the name of a file", () => {
  const bash = "#!/bin/bash\nif x; then\n";
  it.each([
    ["notes.md", "((("],
    ["a.txt", "((("],
    ["Makefile", "((("],
    ["LICENSE", "((("],
    [".env", "a=("],
    ["a.unknown", "((("],
    ["zsh-script", "#!/bin/zsh\nif x; then\n"],
  ])("%s has no verdict", async (file, text) => {
    expect(await faultsIn(file, text)).toBeNull();
  });

  it.each([
    ["deploy", bash],
    ["bin/run me", bash],
    ['it\'s "$(touch x)" `y`.sh', bash],
    ["dir.py/script", bash],
    ["Gemfile", "def f\n"],
    ["Cargo.lock", "a =\n"],
    ["A.PY", "def f(:\n"],
    ["x.d.ts", "declare const a: ;\n"],
    ["sub/.vscode/settings.json", '// ok\n{"a": }'],
  ])("%s has one", async (file, text) => {
    expect((await places(file, text)).length).toBe(1);
  });

  it("a declaration file may leave values out, a program may not", async () => {
    expect(await places("x.d.mts", "declare const a: number;\nexport const b: string;\n")).toEqual([]);
    expect(await places("x.mts", "export const b: string;\n")).toHaveLength(1);
  });
});

describe("what is not judged", () => {
  it.each([
    ["a.js", "// @flow\nconst a: number = 1;\n", "Flow"],
    ["chart/templates/a.yaml", "{{- if .Values.x }}\na: 1\n{{- end }}\n", "template"],
    ["a.yml", "a: {{ x }}\n", "template"],
    ["a.py", `x = "${"y".repeat(1_000_000)}"`, "too large"],
    ["a.go", "\n".repeat(20_000), "too large"],
  ])("%s %#", async (file, text, why) => {
    expect(await faultsIn(file, text)).toEqual({ kind: "unavailable", why: expect.stringContaining(why) });
  });
});
