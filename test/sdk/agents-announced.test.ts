// Announcements between agents that are at work at the same time (SPEC 1.28).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Entry } from "../../src/core/entry.js";
import { type AgentStage, agentStage, call, submit } from "../support/agents.js";

const announce = (kind: string, text: string) => call("announce_work", { kind, text });
const touch = (path: string) => call("run_command", { command: `touch ${path}` });
/** A command that goes on until this file is there. */
const until = (path: string) => call("run_command", { command: `until [ -e ${path} ]; do sleep 0.02; done` });

/** The messages of the conversation of an agent, with their place in the log. */
function conversation(at: AgentStage, agent: string) {
  const { session = "" } = at.records().find((record) => record.agent === agent) ?? {};
  const [project = ""] = readdirSync(join(at.home, "sessions"));
  const file = join(at.home, "sessions", project, "agents", `${session}.jsonl`);
  const entries = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
  const told = entries.filter(
    (entry) => entry.type === "message" && JSON.stringify(entry.data).includes("Announced by"),
  );
  return { entries, told: told.map((entry) => JSON.stringify(entry.data)) };
}

test("an agent at work hears of it with its next request, once, and the one that said it does not", async () => {
  const at = agentStage({
    main: [
      submit([
        { agent_name: "implement", prompt: "serve" },
        { agent_name: "test", prompt: "call" },
      ]),
    ],
    agents: {
      // Each waits for the other, so neither is later than the other.
      implement: [
        until("two"),
        announce("endpoint_ready", "GET /users"),
        touch("one"),
        until("three"),
        { text: "served" },
      ],
      test: [
        touch("two"),
        until("one"),
        { ...touch("three"), match: "endpoint_ready: GET /users" },
        { text: "called" },
      ],
    },
  });
  const { session } = await at.open();
  const result = await session.send("go");
  expect(at.records().map(({ state, error }) => [state, error])).toEqual([
    ["succeeded", undefined],
    ["succeeded", undefined],
  ]);
  const heard = conversation(at, "test");
  expect(heard.told).toHaveLength(1);
  // Appended: nothing before it is another prefix.
  expect(heard.entries.some((entry) => entry.type === "note" && entry.data.code === "cache.break")).toBe(false);
  expect(conversation(at, "implement").told).toEqual([]);
  expect(result.cache.breaks).toEqual([]);
});

test("at most the newest fifteen at a time; what came later is told by itself", async () => {
  const many = (from: number, to: number) => ({
    calls: Array.from({ length: to - from }, (_, i) => ({
      tool: "announce_work",
      input: { kind: "file_created", text: `file-${from + i}.js` },
    })),
  });
  const at = agentStage({
    main: [
      submit([
        { agent_name: "implement", prompt: "make" },
        { agent_name: "test", prompt: "look" },
      ]),
    ],
    agents: {
      implement: [until("a"), many(0, 20), touch("b"), until("c"), many(20, 21), touch("d"), { text: "made" }],
      test: [touch("a"), until("b"), touch("c"), until("d"), { text: "looked" }],
    },
  });
  const { session } = await at.open();
  await session.send("go");
  const { told } = conversation(at, "test");
  const named = told.map((text) => [...text.matchAll(/file-(\d+)\.js/g)].map(([, n]) => Number(n)));
  expect(named).toEqual([Array.from({ length: 15 }, (_, i) => 19 - i), [20]]);
  for (const text of told) expect(text.length).toBeLessThan(1_700);
});
