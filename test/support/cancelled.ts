// Every phase that a provider can hang in (SECURITY F 151), and a session that is cancelled there.

import type { Event, HarnessOptions, Result, Session } from "../../src/index.js";
import { type Stage, stage } from "./stage.js";
import type { WireReply } from "./wire/anthropic.js";

const call = { id: "w", name: "write_file", input: { path: "a.txt", content: "one\ntwo\n" } };
const failing = (at: number): WireReply => ({
  calls: [{ id: `c${at}`, name: "run_command", input: { command: "exit 3" } }],
});
const again = (): WireReply => ({ status: 429, headers: { "retry-after": "0" } });
const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

export interface Phase {
  script: WireReply[];
  /** Which reply is under way. Default: the last. */
  at?: number;
  /** What has been seen when it is time. */
  seen?: (event: Event) => boolean;
  settings?: NonNullable<HarnessOptions["settings"]>;
}

export const heard = (type: Event["type"]) => (event: Event) => event.type === type;

export const phases: Record<string, Phase> = {
  "before the headers": { script: [{ stallAfter: -1 }] },
  "before the first byte": { script: [{ stallAfter: 0 }] },
  "in its thinking": { script: [{ thinking: { text: "let me see" }, stallAfter: 5 }], seen: heard("thinking.delta") },
  "in its text": { script: [{ text: "let me see", stallAfter: 4 }], seen: heard("text.delta") },
  "in a call": { script: [{ text: "I write.", calls: [call], stallAfter: 9 }], seen: heard("text.delta") },
  "while it only pings": { script: [{ text: "let me see", stallAfter: 4, drip: ping }], seen: heard("text.delta") },
  "after the last event, before the end": { script: [{ text: "hi", stallAfter: 7 }], seen: heard("text.delta") },
  "in a second attempt": { script: [again(), { stallAfter: 0 }] },
  "in the request for the text of a file": {
    script: [
      { calls: [{ id: "w", name: "write_file", input: { path: "a.txt" } }] },
      { text: "one\ntwo", stallAfter: 4 },
    ],
    settings: { permissions: { mode: "auto" }, files: { twoStage: true } },
  },
  "in an attempt of another model": {
    script: [...Array.from({ length: 5 }, again), { text: "let me see", stallAfter: 4 }],
    seen: heard("text.delta"),
    settings: { permissions: { mode: "auto" }, models: { fallback: ["anthropic/claude-haiku-4-5"] } },
  },
  "in the summary of a loop": {
    script: [...[0, 1, 2, 3, 4, 5].map(failing), { text: "I tried", stallAfter: 4 }],
    seen: heard("loop.stop"),
  },
};

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

export interface Cancelled {
  stage: Stage;
  session: Session;
  result: Result;
  /** Number of the reply that was under way. */
  at: number;
  /** From the cancelling to the end of the run, in ms. */
  took: number;
}

/** Plays a phase until its reply is under way, cancels, and waits for the end of the run. */
export async function cancelIn({ script, at = script.length - 1, seen, settings }: Phase): Promise<Cancelled> {
  const s = await stage([...script, { text: "went on" }]);
  const session = await s.open(settings ? { settings } : {});
  const sent = session.send("go");
  await until(() => s.server.requests.length > at && (!seen || s.events.some(seen)));
  const before = performance.now();
  session.cancel();
  const result = await sent;
  return { stage: s, session, result, at, took: performance.now() - before };
}
