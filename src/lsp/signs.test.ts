import { expect, test } from "vitest";
import { knownServers, wantedBy } from "./known-servers.js";
import { programsFor, signs } from "./signs.js";

test("the quick look knows every program, mark and extension of the table, and no other", () => {
  const said = new Map(
    signs.flatMap(([programs, names]) => programs.split(" ").map((each) => [each, names.split(" ")])),
  );
  expect([...said.keys()].sort()).toEqual(knownServers.map(({ command }) => command[0]).sort());
  for (const { command, marks, languages } of knownServers) {
    expect(said.get(command[0])?.sort(), command[0]).toEqual([...marks, ...Object.keys(languages)].sort());
  }
});

test("both find the same servers by the names in a project's root", () => {
  for (const names of [["a.py", "README.md"], ["go.mod"], ["package.json"], ["x.TXT"], [".luarc.json"], [".go"], []]) {
    expect([...new Set(programsFor(names))].sort(), names.join()).toEqual(
      [...new Set(wantedBy(names).map(({ command }) => command[0]))].sort(),
    );
  }
});
