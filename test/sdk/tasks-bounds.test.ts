// Who may start, see and end commands in the background: they are judged like any command, keep no secret, and are of their
// project and their session.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resultText, stage } from "../support/stage.js";
import { call, script, start, taskLog, taskRecords } from "../support/tasks.js";

const auto = { permissions: { mode: "auto" } } as const;

test("it is judged like any command: rules for Bash, the mode, and a yes of its own to survive (D 79)", async () => {
  const asked: string[] = [];
  const ask = async ({ summary }: { summary: string }) => {
    asked.push(summary);
    return { decision: "deny" } as const;
  };
  const denied = await stage([{ calls: [start("npm run dev")] }, { text: "done" }]);
  await (await denied.open({ settings: { ...auto, permissions: { mode: "auto", deny: ["Bash(npm *)"] } } })).send("go");
  expect(resultText(denied.bodies().at(-1), "s1")).toContain("Denied (deny Bash(npm *))");
  const allowed = { mode: "ask", allow: ["Bash(npm *)"] } as const;
  const survives = await stage([{ calls: [start("npm run dev", { detach: true })] }, { text: "done" }]);
  await (await survives.open({ ask, settings: { permissions: { ...allowed, allow: [...allowed.allow] } } })).send("go");
  expect(asked).toEqual([
    "start in the background: npm run dev, and leave it running when Cinch has ended, for 24 h at most",
  ]);
  expect(existsSync(join(denied.home, "tasks"))).toBe(false);
});

test.each<[object, string]>([
  [{ kind: "shell" }, "A task of kind shell needs command."],
  [{ kind: "shell", command: "true", prompt: "x" }, "A task of kind shell does not take prompt."],
  [{ kind: "agent", prompt: "x" }, "A task of kind agent needs agent_name."],
  [{ kind: "robot" }, "kind"],
  [{ kind: "shell", command: "true", cwd: "/" }, "outside the project"],
])("%j is refused, and nothing begins", async (input, text) => {
  const s = await stage([{ calls: [call("s1", "start_background_task", input)] }, { text: "done" }]);
  await (await s.open()).send("go");
  expect(resultText(s.bodies().at(-1), "s1")).toContain(text);
  expect(existsSync(join(s.home, "tasks"))).toBe(false);
});

test("known secrets are neither read by the model nor left in the log, and offsets still fit", async () => {
  const secret = "canary-Zz9-secret-value";
  const s = await script("cat leak.txt; echo behind", (_, id) => [
    { calls: [call("w1", "wait_background_task", { task_id: id })] },
    { calls: [call("r1", "read_background_task_output", { task_id: id, offset: 10, max_chars: 12 })] },
  ])();
  mkdirSync(s.root, { recursive: true });
  writeFileSync(join(s.root, "leak.txt"), `a ${secret} b\n`);
  const env = { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: s.server.url, PATH: process.env["PATH"] };
  await (await s.open({ env })).send("go");
  const [record] = taskRecords(s.home);
  expect(taskLog(s.home, record?.id ?? "")).toBe(`a ${"*".repeat(secret.length)} b\nbehind\n`);
  expect(JSON.stringify(s.bodies())).not.toContain(secret);
  expect(resultText(s.bodies().at(-1), "r1")).toContain("************\n");
});

test("what other sessions asked for is seen in their project only, and ended by none of them", async () => {
  const [near, far] = ["near00000000", "far000000000"];
  const asked = [near, far].flatMap((id, i) => [
    call(`read${i}`, "read_background_task_output", { task_id: id }),
    call(`end${i}`, "cancel_background_task", { task_id: id }),
    call(`agents${i}`, "cancel_agent_tasks", { task_ids: [id] }),
  ]);
  const s = await stage([
    { calls: [start("echo mine")] },
    { text: "started" },
    { calls: [call("all", "list_background_tasks", { all: true }), ...asked] },
    { text: "done" },
  ]);
  const session = await s.open();
  await session.send("go");
  const [mine] = taskRecords(s.home);
  for (const [id, cwd] of [
    [near, mine?.cwd],
    [far, "/somewhere/else"],
  ] as const) {
    const other = { ...mine, id, cwd, title: `made for ${id}`, owner: { ...mine?.owner, session: "another" } };
    writeFileSync(join(s.home, "tasks", `${id}.json`), JSON.stringify(other));
  }
  await session.send("look");
  const text = (id: string) => resultText(s.bodies().at(-1), id);
  expect(text("all")).toContain(near);
  expect(text("all")).not.toContain(far);
  for (const id of ["end0", "agents0"]) expect(text(id)).toContain("belongs to another session. Nothing was ended.");
  expect(text("read0")).not.toContain("There is no task");
  for (const id of ["read1", "end1", "agents1"]) expect(text(id)).toContain(`There is no task "${far}"`);
});
