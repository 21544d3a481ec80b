// Rules and the programs that start others: a denied program stays denied whoever starts it, and an allowed one may not do more
// than its rule says.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage } from "../support/cli.js";

async function play(commands: readonly string[], flags: readonly string[]) {
  const calls = commands.map((command) => ({ tool: "run_command", input: { command } }));
  const at = cliStage([{ calls }, { text: "done" }]);
  for (const name of ["keep", "a.txt"]) writeFileSync(join(at.project, name), "b\na\n");
  const { stdout } = await at.run(["-p", "go", "--output-format", "json", ...flags]);
  const denials = (JSON.parse(stdout) as { permission_denials: { tool_input: { command: string }; reason: string }[] })
    .permission_denials;
  return { at, denied: denials.map(({ tool_input, reason }) => [tool_input.command, reason] as const) };
}

const throughOthers = [
  ...[
    "chrt 1 rm keep",
    "taskset 1 rm keep",
    "flock l rm keep",
    "flock l -c 'rm keep'",
    "busybox rm keep",
    "setsid rm keep",
  ],
  ...["setsid -w rm keep", "/lib64/ld-linux-x86-64.so.2 /bin/rm keep", "setarch x86_64 rm keep", "linux64 rm keep"],
  ...["frobnicate rm keep", "frobnicate --run=rm keep", "frobnicate --with 'a; rm keep'", "nice -n 1 /bin/rm keep"],
  ...[
    "env rm keep",
    "timeout --weird 5 rm keep",
    "xargs rm < a.txt",
    "find . -name keep -exec rm {} ;",
    "sh -c 'rm keep'",
  ],
  ...["python3 -c 'import os; os.system(\"rm keep\")'", 'node -e \'require("child_process").execSync("rm keep")\''],
  ...[
    'perl -e \'exec "rm", "keep"\'',
    "awk 'BEGIN{system(\"rm keep\")}'",
    "sed '1e rm keep' a.txt",
    "make RM='rm keep'",
  ],
  ...[
    "tar cf x a.txt --checkpoint=1 --checkpoint-action=exec='rm keep'",
    "git -c alias.x='!rm keep' x",
    "ssh h rm keep",
  ],
  ...["npx rm keep", "docker run x rm keep", "vim -c '!rm keep' a.txt", "script -c 'rm keep'", "watch rm keep"],
  ...[
    "strace rm keep",
    "gdb --args rm keep",
    "parallel rm ::: keep",
    "valgrind rm keep",
    "uv run rm keep",
    "su -c 'rm keep'",
  ],
  ...["command rm keep", "exec rm keep", "(rm keep)", "X=1 rm keep", "\\rm keep", "'rm' keep", "$'\\x72m' keep"],
];

test("Bash(rm *) denied: through whatever starts it", async () => {
  const { at, denied } = await play(throughOthers, ["--permission-mode", "auto", "--deny", "Bash(rm *)"]);
  expect(existsSync(join(at.project, "keep"))).toBe(true);
  expect(denied.filter(([, reason]) => !reason.includes("Denied (deny Bash(rm *))"))).toEqual([]);
  expect(denied.map(([command]) => command)).toEqual(throughOthers);
});

test("Bash(git push *) denied: with options before the subcommand", async () => {
  const ways = ["git -C . push", "git --no-pager push origin", "git -c user.name=a push", "chrt 1 git -C . push x"];
  const { denied } = await play(ways, ["--permission-mode", "auto", "--deny", "Bash(git push *)"]);
  expect(denied.map(([command]) => command)).toEqual(ways);
});

test("what only names the program is not denied", async () => {
  const others = [
    "grep rm a.txt",
    "echo rm keep",
    "cat a.txt | grep rm",
    "touch rm",
    "cp a.txt rm",
    "git log --grep rm",
  ];
  const { denied } = await play(others, ["--permission-mode", "auto", "--deny", "Bash(rm *)"]);
  expect(denied).toEqual([]);
});

const more = [
  ...["find . -fprint out", "find . -fls out", "find . -delete", "find . -exec touch out ;", "sort -o out a.txt"],
  ...[
    "sort --output=out a.txt",
    "sort -uo out a.txt",
    "sort -oout a.txt",
    "git diff --output=out",
    "git log --output out",
  ],
  ...["tree -o out", "sed -i s/a/b/ keep", "sed --in-place s/a/b/ keep", "find . -name keep -ok rm {} ;"],
];

test("an allow rule does not cover what the program only does with an option for it", async () => {
  const rules = ["find", "sort", "git diff", "git log", "tree", "sed"].map((name) => `Bash(${name} *)`);
  const { at, denied } = await play(
    more,
    rules.flatMap((rule) => ["--allow", rule]),
  );
  expect(denied.map(([command]) => command)).toEqual(more);
  expect(existsSync(join(at.project, "out"))).toBe(false);
});

test("unless the rule names the option; and it never lifts danger", async () => {
  const commands = [
    "find . -name keep -fprint out",
    "sort -o sorted a.txt",
    "sed -i s/a/c/ a.txt",
    "find . -name keep -delete",
  ];
  const rules = [
    "Bash(find . -name keep -fprint *)",
    "Bash(sort -o *)",
    "Bash(sed -i *)",
    "Bash(find . -name keep -delete *)",
  ];
  const { at, denied } = await play(
    commands,
    rules.flatMap((rule) => ["--allow", rule]),
  );
  expect(["out", "sorted", "keep"].filter((name) => existsSync(join(at.project, name)))).toEqual([
    "out",
    "sorted",
    "keep",
  ]);
  expect(denied.map(([command]) => command)).toEqual(["find . -name keep -delete"]);
});
