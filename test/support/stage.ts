// A session of the SDK in a project and a home of its own, against a loopback model that plays a script.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createHarness, type Event, type HarnessOptions, type Session } from "../../src/index.js";
import { tempDir } from "./run.js";
import { startAnthropic, type WireReply, type WireServer } from "./wire/anthropic.js";
import type { WireScript } from "./wire/server.js";

export interface Stage {
  root: string;
  home: string;
  server: WireServer;
  /** Opens a session; its events are added to `events` as they come. */
  open(options?: Partial<HarnessOptions>, resume?: string | true): Promise<Session>;
  events: Event[];
  /** The bodies of the requests so far, parsed. */
  bodies(): Body[];
}

export interface Body {
  system: { type: string; text: string; cache_control?: object }[];
  tools?: { name: string }[];
  messages: { role: string; content: Block[] }[];
  max_tokens: number;
}

export interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  tool_use_id?: string;
  is_error?: boolean;
  content?: unknown;
  cache_control?: object;
}

/** A project directory, a home, and a model that answers with `script`. */
export async function stage(script: WireReply[] | WireScript): Promise<Stage> {
  const base = tempDir();
  const root = join(base, "project");
  const home = join(base, "home");
  mkdirSync(join(root, ".git"), { recursive: true });
  const server = await startAnthropic(script);
  onTestFinished(() => server.close());
  const events: Event[] = [];
  const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url, PATH: process.env["PATH"] };
  return {
    root,
    home,
    server,
    events,
    bodies: () => server.requests.map((request) => JSON.parse(request.body) as Body),
    async open(options = {}, resume) {
      const model = "anthropic/claude-sonnet-4-5";
      const { settings = { permissions: { mode: "auto" } }, ...more } = options;
      // Tests say themselves when they want one: the machine must not decide what they see.
      const { lsp = { disabled: ["*"] } } = settings;
      const open = { sandbox: { mode: "off" }, ...settings, lsp } as const;
      const harness = createHarness({ cwd: root, home, model, env, settings: open, ...more });
      onTestFinished(() => harness.close());
      const session = await harness.open(resume === undefined ? {} : { resume });
      void collect(session, events);
      return session;
    },
  };
}

/** A reply that only says something. */
export const say = (text: string): WireReply => ({ text });

/** A reply that looks around: a call that changes nothing. */
export const list = (id: string): WireReply => ({ calls: [{ id, name: "list_files", input: { path: "." } }] });

/** A user who says yes to whatever is asked, also to a command that no mode runs unasked. */
export const yes = async () => ({ decision: "allow" }) as const;

async function collect(session: Session, events: Event[]): Promise<void> {
  for await (const event of session.events()) events.push(event);
}

/** The content blocks of a request, cache marks apart: what may only grow (CONTRACT §6.3). */
export function blocks(body: Body): string[] {
  return body.messages.flatMap((message) =>
    message.content.map(({ cache_control: _mark, ...block }) => `${message.role} ${JSON.stringify(block)}`),
  );
}

/** The text of the result for a call, as the model reads it. */
export function resultText(body: Body | undefined, call: string): string {
  for (const message of body?.messages ?? []) {
    for (const block of message.content) {
      if (block.type !== "tool_result" || block.tool_use_id !== call) continue;
      if (typeof block.content === "string") return block.content;
      return (block.content as { text: string }[]).map((part) => part.text).join("");
    }
  }
  throw new Error(`no result for ${call}`);
}
