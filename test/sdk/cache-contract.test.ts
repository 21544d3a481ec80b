// The cache contract (CONTRACT §6.3) over what used to break it elsewhere, on the exact requests of every protocol: what
// changes is appended, or there is one `cache.break` with its cause and what it costs, in the log as well.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SettingsInput } from "../../src/config/schema.js";
import { createHarness, type Event, type HarnessOptions, type Session } from "../../src/index.js";
import { fixedClock } from "../../src/lib/fixed.js";
import { tempDir } from "../support/run.js";
import { type Protocol, protocols } from "../support/wire/protocols.js";

type Item = Record<string, unknown>;

/** What stands before the conversation, and the conversation as one text that may only grow. */
function read(body: string): { head: string; text: string } {
  const whole = JSON.parse(body, withoutMarks) as Item;
  const listed = ["messages", "input", "contents"].find((key) => Array.isArray(whole[key])) ?? "";
  const items = whole[listed] as Item[];
  delete whole[listed];
  let role: unknown;
  let text = "";
  for (const item of items) {
    const { role: who = "call", content = item["parts"], ...rest } = item;
    text += who === role ? "\n\n" : `\n[${String(who)}]\n`;
    role = who;
    text += [content].flat().map(partText).join("\n\n");
    delete rest["parts"];
    if (Object.keys(rest).length > 0) text += JSON.stringify(rest);
  }
  return { head: JSON.stringify(whole), text };
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const { text, type: _type, ...rest } = (part ?? {}) as Item;
  return typeof text === "string" && Object.keys(rest).length === 0 ? text : JSON.stringify(part ?? "");
}

function withoutMarks(key: string, value: unknown): unknown {
  if (key === "cache_control") return undefined;
  return Array.isArray(value)
    ? value.filter((part) => !(part && typeof part === "object" && "cachePoint" in part))
    : value;
}

interface Set {
  root: string;
  open(options?: Partial<HarnessOptions>, resume?: string): Promise<Session>;
  /** Does the last request extend the one before it? */
  extends(): boolean;
  bodies(): string[];
  events: Event[];
}

const day = (date: number) => fixedClock(Date.UTC(2026, 10, date, 12));

async function stageFor(protocol: Protocol): Promise<Set> {
  const base = tempDir();
  const [root, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(root, ".git"), { recursive: true });
  writeFileSync(join(root, "AGENTS.md"), "Use tabs.\n");
  const look = { calls: [{ id: "a", name: "list_files", input: { path: "." } }] };
  const server = await protocol.start([look, ...Array.from({ length: 9 }, (_, i) => ({ text: `answer ${i}` }))]);
  onTestFinished(() => server.close());
  const events: Event[] = [];
  const bodies = () => server.requests.map(({ body }) => body);
  return {
    root,
    events,
    bodies,
    extends() {
      const [before, after] = bodies().slice(-2).map(read);
      return before?.head === after?.head && after?.text.startsWith(before?.text ?? "?") === true;
    },
    async open(options = {}, resume) {
      const env = { ...protocol.env(server), PATH: process.env["PATH"] };
      const settings = { permissions: { mode: "auto" } } as const;
      const base = { cwd: root, home, model: protocol.id, env, settings, trust: true, clock: day(21) };
      const harness = createHarness({ ...base, ...options });
      onTestFinished(() => harness.close());
      const session = await harness.open(resume === undefined ? {} : { resume });
      void (async () => {
        for await (const event of session.events()) events.push(event);
      })();
      return session;
    },
  };
}

const breaks = (set: Set) => set.events.filter((event) => event.type === "cache.break");

/** A first run of two requests, closed again. */
async function begun(protocol: Protocol) {
  const set = await stageFor(protocol);
  const session = await set.open();
  await session.send("first");
  expect(set.extends()).toBe(true);
  await session.close();
  return { set, id: session.id };
}

describe.each(protocols)("$name", (protocol) => {
  test("the day, the mode, the further instructions change: appended", async () => {
    const { set, id } = await begun(protocol);
    const settings = { permissions: { mode: "acceptEdits" } } as const;
    const session = await set.open({ clock: day(22), settings, appendSystemPrompt: "Be brief." }, id);
    await session.send("second");
    expect(set.extends()).toBe(true);
    for (const text of ["2026-11-22", "nobody can give in this run", "Be brief."]) {
      expect(set.bodies().at(-1)).toContain(text);
    }
    await session.close();
    expect(breaks(set)).toEqual([]);
  });

  test("AGENTS.md is edited while the session is open, and between two: appended, each once", async () => {
    const { set, id } = await begun(protocol);
    writeFileSync(join(set.root, "AGENTS.md"), "Use blanks.\n");
    const session = await set.open({}, id);
    await session.send("second");
    expect(set.extends()).toBe(true);
    expect(set.bodies().at(-1)).toContain("Use blanks.");
    writeFileSync(join(set.root, "AGENTS.md"), "Use both.\n");
    await session.send("third");
    expect(set.extends()).toBe(true);
    await session.close();
    const again = await set.open({}, id);
    await again.send("fourth");
    expect(set.extends()).toBe(true);
    expect(set.bodies().at(-1)?.split("Use both.")).toHaveLength(2);
    expect(set.bodies().at(-1)?.split("Use blanks.")).toHaveLength(2);
    await again.close();
    expect(breaks(set)).toEqual([]);
  });

  test("a family of tools appears: one break, of the tools, with what it costs", async () => {
    const { set, id } = await begun(protocol);
    const settings = { permissions: { mode: "auto" }, tools: { declare: ["claims"] } } satisfies SettingsInput;
    const session = await set.open({ settings }, id);
    const { cache } = await session.send("second");
    expect(set.extends()).toBe(false);
    expect(cache.breaks).toMatchObject([{ section: "tools", cause: "tools" }]);
    await session.send("third");
    expect(set.extends()).toBe(true);
    await expectLogged(set, session, ["tools"]);
  });

  test("another model and back: a break each, with the cause", async () => {
    const { set, id } = await begun(protocol);
    const other = await set.open({ model: `${protocol.id}-other` }, id);
    await other.send("second");
    await other.close();
    const back = await set.open({}, id);
    await back.send("third");
    await expectLogged(set, back, ["model", "model"]);
  });

  test("a fork extends what was last sent on its path; so does going back", async () => {
    const { set, id } = await begun(protocol);
    const session = await set.open({}, id);
    await session.send("second");
    const shared = set.bodies().length - 2;
    await session.rewind();
    await session.send("another second");
    const [before, after] = [set.bodies()[shared], set.bodies().at(-1)].map((body) => read(body ?? ""));
    expect(after?.head).toBe(before?.head);
    expect(after?.text.startsWith(before?.text ?? "?")).toBe(true);
    expect(after?.text).not.toMatch(/\nsecond/);
    await session.close();
    expect(breaks(set)).toEqual([]);
  });
});

/** Every break of the events is a note in the log, with cause, section and estimates, and `cost()` tells of it. */
async function expectLogged(set: Set, session: Session, causes: string[]): Promise<void> {
  const { misses } = await session.cost();
  const told = misses.filter(({ section }) => section !== null);
  await session.close();
  const seen = breaks(set);
  expect(seen.map((event) => event.type === "cache.break" && event.cause)).toEqual(causes);
  expect(told).toMatchObject(
    seen.map((event) => (event.type === "cache.break" ? { cause: event.cause, section: event.section } : {})),
  );
  for (const { tokens } of told) expect(tokens).toBeGreaterThan(500);
}
