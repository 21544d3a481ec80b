// Questions of the agent to the user, and its plan: how they are answered, and what is said where nobody can answer.

import { expect, test } from "vitest";
import type { Approval } from "../../src/index.js";
import { resultText, stage } from "../support/stage.js";

const asks = { calls: [{ id: "q", name: "ask_user", input: { question: "Which colour?", answers: ["red", "blue"] } }] };

test("an answer is what the model reads", async () => {
  const s = await stage([asks, { text: "done" }]);
  const asked: Approval[] = [];
  const session = await s.open({
    ask: async (question) => {
      asked.push(question);
      return { decision: "allow", feedback: "green" };
    },
  });
  await session.send("go");
  expect(asked).toMatchObject([{ summary: "Which colour?", answers: ["red", "blue"], rule: null, parts: [] }]);
  expect(resultText(s.bodies()[1], "q")).toBe("The user says: green");
  const questions = s.events.filter(({ type }) => type.startsWith("approval."));
  expect(questions.map(({ type }) => type)).toEqual(["approval.ask", "approval.end"]);
});

test("a question that is left open is no denial, and the model decides", async () => {
  const s = await stage([asks, { text: "done" }]);
  const session = await s.open({ ask: async () => ({ decision: "deny" }) });
  expect(await session.send("go")).toMatchObject({ subtype: "success", permission_denials: [] });
  expect(resultText(s.bodies()[1], "q")).toContain("left the question open");
});

test("where nobody can answer it is said at once, and the run goes on", async () => {
  const s = await stage([asks, { text: "done" }]);
  const session = await s.open();
  expect(await session.send("go")).toMatchObject({ subtype: "success", exit_code: 0 });
  expect(resultText(s.bodies()[1], "q")).toMatch(/^Nobody can answer in this run/);
  expect(s.events.some(({ type }) => type === "approval.ask")).toBe(false);
});

test("a cancelled run leaves no question open", async () => {
  const s = await stage([asks, { text: "done" }]);
  const session = await s.open({ answerable: true });
  const sent = session.send("go");
  for await (const event of session.events()) if (event.type === "approval.ask") break;
  session.cancel();
  expect(await sent).toMatchObject({ subtype: "error_cancelled" });
  const { id } = s.events.find(({ type }) => type === "approval.ask") as unknown as { id: string };
  expect(session.answer(id, { decision: "allow" })).toBe(false);
  const told = s.events.filter(({ type }) => type === "approval.end" || type === "run.end");
  expect(told).toMatchObject([{ type: "approval.end", id, decision: "deny", by: "headless" }, { type: "run.end" }]);
});

test("a plan is shown as a list that stays in sight, until every step is done", async () => {
  const plan = (id: string, state: string) => ({
    calls: [
      {
        id,
        name: "update_plan",
        input: {
          steps: [
            { text: "dig", state: "done" },
            { text: "fill", state },
          ],
        },
      },
    ],
  });
  const s = await stage([plan("p1", "active"), plan("p2", "done"), { text: "done" }]);
  const session = await s.open({ settings: { permissions: { mode: "plan" } } });
  await session.send("go");
  expect(resultText(s.bodies()[1], "p1")).toBe("[x] dig\n[>] fill");
  const ends = s.events.flatMap((event) => (event.type === "call.end" ? [event.view] : []));
  expect(ends).toEqual([
    { type: "list", items: ["[x] dig", "[>] fill"], pinned: true },
    { type: "list", items: [], pinned: true },
  ]);
});
