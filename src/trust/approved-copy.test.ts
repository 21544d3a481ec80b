// What runs in the place of an approved hook: its own bytes, whatever the project holds by then.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/run.js";
import { nodeFs } from "../lib/fs.js";
import { createObjectStore } from "../lib/object-store.js";
import { approvedCopy } from "./approved-copy.js";
import { fingerprint, type Resource } from "./resource.js";

function approved(command: string, args?: string[]) {
  const [root, kept] = [tempDir(), join(tempDir(), "trust")];
  for (const folder of ["scripts", "my tools"]) mkdirSync(join(root, folder));
  const put = (text: string) => {
    for (const name of ["scripts/x.sh", "my tools/y.sh"]) {
      writeFileSync(join(root, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(root, name), 0o755);
    }
  };
  put("echo approved $1");
  writeFileSync(join(root, "scripts", "data"), "data\n");
  const line = { text: command, ...(args ? { args } : {}) };
  const resource: Resource = { kind: "hook", name: "n", source: "s:1", entry: {}, command: line };
  const seen = fingerprint(resource, { disk: nodeFs, root, path: "/usr/bin:/bin" });
  const store = createObjectStore(nodeFs, kept);
  for (const { path } of seen.files) store.put(nodeFs.readFileSync(join(root, path)));
  const copy = () => approvedCopy(args ? { command, args } : { command }, seen, { disk: nodeFs, root, kept });
  const run = () => {
    const { command: line, args: words } = copy();
    const options = { cwd: root, encoding: "utf8", env: { PATH: "/usr/bin:/bin", CINCH_PROJECT_DIR: root } } as const;
    return execFileSync(words ? line : "/bin/bash", words ?? ["-c", line], options);
  };
  return { root, put, run, copy, seen };
}

test.each([
  ["sh scripts/x.sh", "approved\n"],
  ["A=1 ./scripts/x.sh 'two words'", "approved two words\n"],
  ['"$CLAUDE_PROJECT_DIR"/scripts/x.sh "$CINCH_PROJECT_DIR/none"', undefined],
  ["'my tools/y.sh' && my\\ tools/y.sh", "approved\napproved\n"],
  ["cd scripts && ./x.sh", "approved\n"],
  ["bash -c 'sh scripts/x.sh; echo \"$1\"' - one", "approved\none\n"],
  ['F=scripts/x.sh; sh "$F"', "approved\n"],
  ["cat <scripts/x.sh | sh", "approved\n"],
])("%s runs what was approved although the script was swapped", (command, expected) => {
  const at = approved(command);
  const before = at.run();
  at.put("echo swapped");
  expect(at.run()).toBe(before);
  expect(before).toBe(expected ?? `approved ${at.root}/none\n`);
});

test("so do a program and its arguments without a shell, and data beside it is found", () => {
  const at = approved("sh", ["scripts/x.sh", "two words"]);
  at.put("echo swapped");
  expect(at.run()).toBe("approved two words\n");
  expect(nodeFs.readFileSync(join(at.copy().directory ?? "", "scripts", "data"), "utf8")).toBe("data\n");
});

test("content that is not to be had any more is not replaced by what is there", () => {
  const at = approved("sh scripts/x.sh");
  at.put("echo swapped");
  const elsewhere = { disk: nodeFs, root: at.root, kept: join(tempDir(), "trust") };
  expect(() => approvedCopy({ command: "sh scripts/x.sh" }, at.seen, elsewhere)).toThrow("has changed");
});
