// Opening models and asking them, for tests: what a stream gave, in one object.

import type { Message } from "../../src/core/message.js";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../src/core/model.js";
import { systemClock } from "../../src/lib/system.js";
import { type ModelDeps, openModel } from "../../src/models/open.js";

export function open(id: string, deps: Partial<ModelDeps> = {}): Promise<Model> {
  return openModel(id, { env: {}, cwd: process.cwd(), clock: systemClock, ...deps });
}

function requestOf(overrides: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", parts: [{ type: "text", text: "hello" }] }];
  return {
    tools: [],
    stable: "stable text",
    context: "context text",
    messages,
    marks: [],
    maxOutput: 1000,
    ...overrides,
  };
}

export interface Answer {
  events: ModelEvent[];
  done: Extract<ModelEvent, { type: "done" }> | undefined;
  fail: ModelFailure | undefined;
}

/** Runs one request to its end. `on` sees every event as it comes. */
export async function ask(
  model: Model,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
  on: (event: ModelEvent) => void = () => undefined,
): Promise<Answer> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(requestOf(request), signal)) {
    events.push(event);
    on(event);
  }
  const last = events.at(-1);
  return {
    events,
    done: last?.type === "done" ? last : undefined,
    fail: last?.type === "fail" ? last : undefined,
  };
}

export function user(...texts: string[]): Message {
  return { role: "user", parts: texts.map((text) => ({ type: "text", text })) };
}
