// A run on the real log with a scripted model, for what no front end can reach yet: hooks that ask for another round.

import { expect, it } from "vitest";
import { sessions, texts } from "../../test/support/session-log.js";
import type { EventBody } from "../core/event.js";
import { countedIds, fixedClock } from "../lib/fixed.js";
import { nodeFs } from "../lib/fs.js";
import { factsOf } from "../models/catalog.js";
import type { ScriptItem } from "../models/script.js";
import { scriptedModel } from "../models/scripted.js";
import { Approvals } from "./approvals.js";
import { defaultCaps } from "./controller.js";
import { CallIdentity } from "./identity.js";
import { Inbox } from "./inbox.js";
import type { AgentPorts } from "./ports.js";
import { Run } from "./run.js";

const world = { cwd: process.cwd(), fs: nodeFs, clock: fixedClock(), facts: factsOf("scripted/inline") };

function bench(items: ScriptItem[], more: Partial<AgentPorts>) {
  const log = sessions().create();
  const events: EventBody[] = [];
  const emit = (event: EventBody) => void events.push(event);
  const ids = countedIds();
  const request = () => {
    const messages = log.path().flatMap((entry) => (entry.type === "message" ? [entry.data] : []));
    return { tools: [], stable: "", context: "", messages, marks: [], maxOutput: 100 };
  };
  const ports = {
    model: scriptedModel({ ...world, id: "scripted/inline", model: "inline" }, items),
    log,
    tools: { descriptors: [], find: () => undefined, load: () => Promise.reject(), context: () => Promise.reject() },
    emit,
    clock: fixedClock(),
    ids,
    inbox: new Inbox(emit, ids, log, () => []),
    identity: new CallIdentity({ ids, entry: () => undefined, written: (text) => text }, []),
    approvals: new Approvals(),
    limits: {},
    loop: { threshold: 3, recoveries: 3 },
    compose: () => ({ request: request(), mark: { blocks: 0, digest: "" }, broken: null }),
    composeBeside: () => request(),
    permissions: {
      forbids: () => null,
      judge: async () => ({ verdict: "allow", rule: "test", source: "test", reason: "", offer: null, flag: "" }),
      remember: async () => null,
    },
    answerable: false,
    cut: (_call: string, text: string) => text,
    keep: () => "",
    random: () => 0.5,
    ...more,
  } as unknown as AgentPorts;
  const cancelling = new AbortController();
  const run = new Run({ ports, caps: defaultCaps, session: log.id, signal: cancelling.signal });
  const actions = () => events.flatMap((event) => (event.type === "state.change" ? [event.action] : []));
  return { run, log, actions, inbox: ports.inbox, cancel: () => cancelling.abort() };
}

const answers = (n: number): ScriptItem[] => Array.from({ length: n }, (_, i) => ({ text: `answer ${i + 1}` }));

it("D 64: goes on as often as a hook asks, three times at most", async () => {
  const { run, log, actions } = bench(answers(9), { stopHook: async () => ({ prompt: "Not yet." }) });
  const result = await run.perform();
  expect(result).toMatchObject({ subtype: "success", result: "answer 4", num_turns: 4 });
  expect(actions()).toEqual([null, "hook_retry", "hook_retry", "hook_retry", "stop"]);
  expect(texts(log).filter((text) => text === "Not yet.")).toHaveLength(3);
});

it("is cancelled, with the answer that is there, when that happens while a hook is asked", async () => {
  const { run, actions, cancel } = bench(answers(2), {
    stopHook: async () => {
      cancel();
      return null;
    },
  });
  const result = await run.perform();
  expect(result).toMatchObject({ subtype: "error_cancelled", exit_code: 130, result: "answer 1", num_turns: 1 });
  expect(actions()).toEqual([null, null]);
});

it("D 64: delivers what the user said before a hook is asked, so that nothing a hook says is lost", async () => {
  let asked = 0;
  const { run, actions, inbox, log } = bench(answers(3), {
    stopHook: async () => (++asked <= 1 ? { prompt: "Not yet." } : null),
  });
  inbox.add({ text: "Look here first.", images: [] }, "queue");
  await run.perform();
  expect(actions()).toEqual([null, "steer", "hook_retry", "stop"]);
  expect(texts(log).filter((text) => !text.startsWith("answer"))).toEqual(["Look here first.", "Not yet."]);
});
