// Copies of the project that agents work in: what comes back of one, a copy of a copy, and what becomes of those that nobody
// needs any more. Nothing of the project or its repository is changed.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentStage, call, lastResult, repositoryStage, submit, write } from "../support/agents.js";
import { tempDir } from "../support/run.js";

const copied = (agent: string, prompt = "go") => ({ agent_name: agent, prompt, isolation: "worktree" });

/** Where tasks work, and the notes on that. */
const copiesOf = (ids: readonly string[]) =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("cinch-copy-") && ids.some((id) => name.includes(`-${id}`)));

const patched = (text: string) => [...text.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path]) => path);

test("in a copy of the project: a patch comes back, and nothing of the project or its repository is changed", async () => {
  const made = { tool: "write_file", input: { path: "new.txt", content: "made\n" } };
  const gone = { tool: "delete_file", input: { path: "old.txt" } };
  const at = repositoryStage({
    main: [submit([copied("implement")])],
    agents: { implement: [{ calls: [made, gone] }] },
  });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: at.root, encoding: "utf8" });
  // What an untrusted repository would have run.
  git("config", "core.fsmonitor", `touch ${at.home}/ran; false`);
  git("config", "filter.evil.smudge", `touch ${at.home}/ran; cat`);
  writeFileSync(join(at.root, ".git", "info", "attributes"), "* filter=evil\n");
  const before = git("-c", "core.fsmonitor=false", "status", "--porcelain");
  const { session } = await at.open();
  const result = await session.send("go");
  const [record] = at.records();
  expect(record?.state).toBe("succeeded");
  const file = /git apply: (\S+)/.exec(record?.result ?? "")?.[1] ?? "";
  expect(readFileSync(file, "utf8")).toMatch(
    /^diff --git a\/new\.txt[\s\S]*\+made[\s\S]*diff --git a\/old\.txt[\s\S]*-old/,
  );
  expect(result.files).toEqual([]);
  expect(existsSync(join(at.home, "ran"))).toBe(false);
  expect(git("-c", "core.fsmonitor=false", "status", "--porcelain")).toBe(before);
  expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
});

/** What an agent may leave in its copy so that whoever works there with git runs it, each as a command. */
const planted: Record<string, (canary: string) => string> = {
  "a filter of the copy": (canary) =>
    `git config filter.evil.clean 'touch ${canary}; cat'; echo '* filter=evil' >.gitattributes`,
  "a configuration elsewhere": (canary) =>
    `cp -r .git .common; git config --file .common/config filter.evil.clean 'touch ${canary}; cat'; echo ../.common >.git/commondir; echo '* filter=evil' >.gitattributes`,
  "a nested repository": (canary) =>
    `git init -q sub; cd sub; echo x >x; git add x; git -c user.name=t -c user.email=t commit -qm x; cd ..; git add sub; cd sub; git config filter.evil.clean 'touch ${canary}; cat'; git config core.fsmonitor 'touch ${canary}; false'; echo '* filter=evil' >.gitattributes; echo y >x; cd ..`,
  "a diff and a text conversion": (canary) =>
    `git config diff.evil.command 'touch ${canary}'; git config diff.evil.textconv 'touch ${canary}; cat'; echo '* diff=evil' >.gitattributes`,
  "hooks and a monitor": (canary) =>
    `printf '#!/bin/sh\\ntouch ${canary}\\n' >.git/hooks-post; chmod +x .git/hooks-post; mkdir -p .git/hooks; cp .git/hooks-post .git/hooks/post-index-change; git config core.fsmonitor 'touch ${canary}; false'`,
};

test.each(Object.entries(planted))("nothing runs outside that an agent plants in its copy: %s", async (_, plant) => {
  const canary = join(tempDir(), "ran");
  // Its own git would run it too: that is the agent's command, not the harness.
  const command = `${plant(canary)}; echo new >new.txt; rm -f ${canary}`;
  const at = repositoryStage({
    main: [submit([copied("implement")])],
    agents: { implement: [call("run_command", { command }), write("made.txt")] },
  });
  const { session } = await at.open({ ask: async () => ({ decision: "allow" }) });
  await session.send("go");
  const [record] = at.records();
  expect(record).toMatchObject({ state: "succeeded" });
  expect(existsSync(canary)).toBe(false);
  expect(patched(record?.result ?? "")).toEqual(expect.arrayContaining(["made.txt", "new.txt"]));
});

test("the patch of a copy has what the agent added although it is ignored, and nothing that a link leads to", async () => {
  const files = { "project/.gitignore": "out/\n", "project/dir/hostname": "old\n" };
  const command =
    "mkdir out; echo built >out/kept.js; echo built >out/left.js; git add -f out/kept.js; rm -r dir; ln -s /etc dir; mkfifo pipe; chmod +x old.txt";
  const at = repositoryStage(
    {
      main: [submit([copied("implement")])],
      agents: { implement: [call("run_command", { command })] },
    },
    files,
  );
  const { session } = await at.open({ ask: async () => ({ decision: "allow" }) });
  await session.send("go");
  const text = at.records()[0]?.result ?? "";
  const named = [...text.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path);
  expect(named).toEqual(["dir", "dir/hostname", "old.txt", "out/kept.js"]);
  expect(text).toContain("deleted file mode 100644");
  expect(text).toContain("new mode 100755");
  expect(text).toContain("+/etc");
});

test("where there is no repository, a copy cannot be made", async () => {
  const at = agentStage({ main: [submit([copied("implement")])] });
  const { session } = await at.open();
  await session.send("go");
  const text = expect.stringContaining("is no git repository");
  expect(at.records()).toMatchObject([{ state: "failed", error: { kind: "spawn", text } }]);
});

test("an agent in a copy gives a task in a copy of that one: each patch has what its agent changed, and both copies go", async () => {
  const at = repositoryStage(
    {
      main: [submit([copied("boss")]), { text: "done" }],
      agents: {
        boss: [write("boss.txt"), submit([copied("implement")]), { text: "led" }],
        implement: [call("list_files", { path: "." }), write("deep.txt"), { text: "built" }],
      },
    },
    { "home/agents/boss.md": "---\nname: boss\ndescription: d\n---\nYou lead." },
  );
  const { session, events } = await at.open();
  await session.send("go");
  const [boss, deep] = ["boss", "implement"].map((name) => at.records().find(({ agent }) => agent === name));
  expect([boss, deep]).toMatchObject([
    { state: "succeeded", depth: 1, cwd: at.root },
    { state: "succeeded", depth: 2, parent: boss?.id, cwd: expect.stringContaining(`cinch-copy-`) },
  ]);
  expect([patched(boss?.result ?? ""), patched(deep?.result ?? "")]).toEqual([["boss.txt"], ["deep.txt"]]);
  // It begins at the commit that is checked out in the copy above it.
  const seen = events.find(({ type, agent }) => type === "call.end" && agent === deep?.id);
  expect(seen?.type === "call.end" && seen.text).toContain("old.txt");
  expect(seen?.type === "call.end" && seen.text).not.toContain("boss.txt");
  expect(lastResult(session, "submit_agent_tasks")).toContain("led");
  expect(readdirSync(at.root).sort()).toEqual([".git", "old.txt"]);
  expect(copiesOf([boss?.id ?? "", deep?.id ?? ""])).toEqual([]);
});

test("a copy stays while its task may go on, and goes with the next one that is made when its task is gone", async () => {
  const late = { text: "late", delay_ms: 600_000 };
  const at = repositoryStage({
    main: [submit([copied("implement", "a"), copied("implement", "b")], { wait: false }), { text: "under way" }],
    agents: { implement: [write("once.txt"), late] },
  });
  const { session, harness } = await at.open({ answerable: true });
  await session.send("go");
  const ids = at.records().map(({ id }) => id);
  onTestFinished(() => {
    for (const name of copiesOf(ids)) rmSync(join(tmpdir(), name), { recursive: true });
  });
  const begun = () => copiesOf(ids).filter((name) => existsSync(join(tmpdir(), name, "once.txt")));
  await expect.poll(begun, { timeout: 30_000 }).toHaveLength(2);
  await harness.close();
  expect(at.records().map(({ state }) => state)).toEqual(["interrupted", "interrupted"]);
  const [gone = "", open = ""] = ids;
  expect(copiesOf([gone])).toHaveLength(2);
  // As retention leaves it.
  rmSync(join(at.home, "tasks", `${gone}.json`));
  at.play({ main: [submit([copied("implement")]), { text: "done" }], agents: { implement: [write("new.txt")] } });
  await (await at.open()).session.send("go");
  expect([copiesOf([gone]), copiesOf([open]).length]).toEqual([[], 2]);
  const kept = copiesOf([open]).find((name) => !name.endsWith(".base")) ?? "";
  expect(readFileSync(join(tmpdir(), kept, "once.txt"), "utf8")).toBe("made\n");
});
