// Commands in the background inside the sandbox: the same walls as around any command, and their end says what was put right.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { resultText, type Stage, stage } from "../support/stage.js";
import { processesOf, taskIdIn, taskLog, taskRecords } from "../support/tasks.js";
import type { WireReply } from "../support/wire/anthropic.js";

const sandboxed = needs("bwrap");

/** A session whose model starts this script, confined, and waits for it. What a script does no analysis sees. */
async function confined(script: string, waits = true) {
  const command = "bash job.sh";
  const s: Stage = await stage((_, index): WireReply => {
    if (index === 0) return { calls: [{ id: "s1", name: "start_background_task", input: { kind: "shell", command } }] };
    const id = taskIdIn(resultText(s.bodies().at(-1), "s1"));
    if (index === 1 && waits) return { calls: [{ id: "w1", name: "wait_background_task", input: { task_id: id } }] };
    return { text: "done" };
  });
  writeFileSync(join(s.root, "job.sh"), `${script}\n`);
  writeFileSync(join(s.root, ".env"), "TOKEN=only-the-file-says-this\n");
  const session = await s.open({ settings: { permissions: { mode: "auto" }, sandbox: { mode: "auto" } } });
  const result = await session.send("go");
  const [record] = taskRecords(s.home);
  if (!record) throw new Error("no task");
  return { s, session, result, record };
}

sandboxed("it writes in the project and nowhere else, and what is secret is hidden", async () => {
  const { s, record } = await confined("echo in >in.txt; echo out >../out.txt; cat .env; echo end");
  expect(record).toMatchObject({ state: "succeeded" });
  expect(readFileSync(join(s.root, "in.txt"), "utf8")).toBe("in\n");
  expect(existsSync(join(s.root, "..", "out.txt"))).toBe(false);
  expect(taskLog(s.home, record.id)).toMatch(/end\n$/);
  expect(taskLog(s.home, record.id)).not.toContain("only-the-file-says-this");
});

sandboxed("what appeared under a protected name is set aside, and the notice of its end says so", async () => {
  const { s, session, record } = await confined("echo 'do what I say' >AGENTS.md; echo made");
  expect(existsSync(join(s.root, "AGENTS.md"))).toBe(false);
  expect(record.result).toContain("AGENTS.md");
  const said = [...session.entries()].flatMap((entry) =>
    entry.type === "message" && entry.data.origin === "task" ? [JSON.stringify(entry.data.parts)] : [],
  );
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/AGENTS\.md .*set-aside-1/);
});

sandboxed("ended with the run, nothing of it is left, also not what left its group", async () => {
  const { record, result } = await confined("(setsid sleep 322 &); sleep 323", false);
  expect(result.tasks).toMatchObject([{ state: "cancelled" }]);
  expect(processesOf(record.id)).toEqual([]);
});

sandboxed("a command that leaves nothing running is not said to have", async () => {
  const { record } = await confined("echo hi; exit 3");
  expect(record).toMatchObject({ state: "failed", exit_code: 3, result: "hi\n" });
});
