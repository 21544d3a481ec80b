// The permission mode of a session can be changed while it runs: it counts for what is not yet decided, and is in the log.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stage } from "../support/stage.js";

const write = (path: string) => ({ calls: [{ id: path, name: "write_file", input: { path, content: "x\n" } }] });

test("a mode that is changed between two calls decides about the second, and each change is said", async () => {
  const s = await stage([write("a.txt"), write("b.txt"), { text: "done" }, { text: "again" }]);
  const session = await s.open({ settings: { permissions: { mode: "auto" } } });
  const sent = session.send("go");
  for await (const event of session.events()) {
    if (event.type === "call.end") break;
  }
  session.setMode("plan");
  const result = await sent;
  expect([existsSync(join(s.root, "a.txt")), existsSync(join(s.root, "b.txt"))]).toEqual([true, false]);
  expect(result.permission_denials).toHaveLength(1);
  session.setMode("auto");
  await session.send("more");
  expect(s.events.filter((event) => event.type === "notice").map(({ text }) => text)).toEqual([
    "The permission mode is plan from here on.",
    "The permission mode is auto from here on.",
  ]);
});

test("the mode of one session is not that of another of the same harness", async () => {
  const s = await stage([write("c.txt"), { text: "done" }]);
  const one = await s.open({ settings: { permissions: { mode: "auto" } } });
  one.setMode("plan");
  const other = await s.open({ settings: { permissions: { mode: "auto" } } });
  expect(await other.send("go")).toMatchObject({ permission_denials: [] });
});
