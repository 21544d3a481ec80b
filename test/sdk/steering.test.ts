// Steering and the controller in real runs (SEEDS D 64-68, SPEC 1.29). A call and its result are never split by it.
// Hook retries: src/agent/run.test.ts.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { Session } from "../../src/index.js";
import { nodeFs } from "../../src/lib/fs.js";
import { of, states } from "../support/events.js";
import { blocks, list, type Stage, say, stage } from "../support/stage.js";
import type { WireReply } from "../support/wire/anthropic.js";

const waiting = (id = "c"): WireReply => ({
  calls: [{ id, name: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done; echo went" } }],
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const path = (s: Stage) =>
  of(s.events, "state.change").map(({ to, action }) => (action === null ? to : `${to} ${action}`));

/** Every change of state is an entry as well, with the same counts. */
function sameInLog(session: Session, s: Stage) {
  const [run] = session.loop().runs.slice(-1);
  const told = of(s.events, "state.change");
  expect(run?.transitions.map(({ from, to, action }) => [from, to, action])).toEqual(
    told.map(({ from, to, action }) => [from, to, action]),
  );
  expect(run?.counts).toEqual(told.at(-1)?.counts);
}

test("D 66: `now` during a call is in the very next request, behind the call's result", async () => {
  const s = await stage([waiting(), { text: "short" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  const id = session.steer("be brief", "now");
  writeFileSync(join(s.root, "go"), "");
  expect(await sent).toMatchObject({ subtype: "success", result: "short", num_turns: 2, undelivered: [] });
  const [result, steered] = (s.bodies()[1]?.messages.at(-1)?.content ?? []) as { type: string; text?: string }[];
  expect([result?.type, steered?.text]).toEqual(["tool_result", "be brief"]);
  expect([...of(s.events, "steer.queued"), ...of(s.events, "steer.delivered")].map((event) => event.id)).toEqual([
    id,
    id,
  ]);
  expect(path(s)).toEqual(["running", "completed stop"]);
  sameInLog(session, s);
});

test("D 67: three queued steers are delivered one after the other, each after an answer", async () => {
  const s = await stage([waiting(), { text: "first" }, { text: "one" }, { text: "two" }, { text: "three" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  const ids = ["1", "2", "3"].map((text) => session.steer(text, "queue"));
  writeFileSync(join(s.root, "go"), "");
  expect(await sent).toMatchObject({ subtype: "success", result: "three", num_turns: 5, undelivered: [] });
  expect(of(s.events, "steer.delivered").map(({ id }) => id)).toEqual(ids);
  const said = blocks(s.bodies().at(-1) ?? { system: [], messages: [], max_tokens: 0 }).slice(3);
  expect(said.map((block) => /"text":"(\w+)"/.exec(block)?.[1])).toEqual(["first", "1", "one", "2", "two", "3"]);
  expect(path(s)).toEqual(["running", ...Array(3).fill("follow_up steer"), "completed stop"]);
  sameInLog(session, s);
});

test("D 65: of 51 queued steers 50 are delivered, and the last is listed", async () => {
  const s = await stage((_, index) => (index === 0 ? waiting() : { text: `answer ${index}` }));
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  for (let i = 1; i <= 51; i++) session.steer(`steer ${i}`, "queue");
  writeFileSync(join(s.root, "go"), "");
  expect(await sent).toMatchObject({ subtype: "success", undelivered: ["steer 51"] });
  expect([of(s.events, "steer.delivered").length, of(s.events, "steer.dropped").length]).toEqual([50, 1]);
  expect(session.loop()).toMatchObject({ waiting: [], runs: [{ delivered: 50, undelivered: [{ text: "steer 51" }] }] });
});

test("D 68: cancelled, the state says so and what was not delivered is listed", async () => {
  const s = await stage([waiting(), { text: "went on" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  session.steer("one", "now");
  session.steer("two", "queue");
  session.cancel();
  expect(await sent).toMatchObject({ subtype: "error_cancelled", exit_code: 130, undelivered: ["one", "two"] });
  expect(path(s)).toEqual(["running", "cancelled"]);
  expect(session.loop().runs[0]).toMatchObject({
    state: "cancelled",
    counts: { model_calls: 1, tool_calls: 1, queued_steers: 2 },
    undelivered: [
      { mode: "now", text: "one" },
      { mode: "queue", text: "two" },
    ],
  });
  // Given back is given back: neither this process nor the next one says it later.
  await session.send("again");
  await session.close();
  await (await s.open({}, true)).send("and again");
  expect(JSON.stringify(s.bodies())).not.toMatch(/"one"|"two"/);
});

test("D 68: an error of the model ends as failed, with its retries counted", async () => {
  const s = await stage([{ status: 500, headers: { "retry-after-ms": "0" } }, { status: 401 }]);
  const session = await s.open();
  expect(await session.send("go")).toMatchObject({ subtype: "error_auth" });
  expect(path(s)).toEqual(["running", "failed"]);
  expect(session.loop().runs[0]).toMatchObject({ state: "failed", counts: { model_calls: 1, retries: 1 } });
  sameInLog(session, s);
});

test("a log that cannot be written ends as failed, and takes no steer", async () => {
  let full = false;
  const disk = new Proxy(nodeFs, {
    get(real, name: keyof typeof nodeFs) {
      if (full && name === "writeSync") throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
      return real[name];
    },
  });
  const s = await stage([waiting(), { text: "never" }]);
  const session = await s.open({ fs: disk });
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  full = true;
  expect(() => session.steer("lost", "now")).toThrow(/ENOSPC|no space/i);
  expect(of(s.events, "steer.queued")).toEqual([]);
  writeFileSync(join(s.root, "go"), "");
  expect(await sent).toMatchObject({ subtype: "error_during_execution", exit_code: 1, undelivered: [] });
  expect(path(s)).toEqual(["running", "failed"]);
});

test("what was accepted and not delivered is said in the first run of the next process, once", async () => {
  const s = await stage([waiting("a"), { text: "heard" }, { text: "second" }, { text: "third" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  session.steer("be brief", "now");
  session.steer("and then rest", "queue");
  // The log as kill -9 would leave it here.
  const state = join(s.home, "sessions");
  const [project = ""] = readdirSync(state);
  const file = readdirSync(join(state, project)).find((name) => name.endsWith(".jsonl")) ?? "";
  const killed = readFileSync(join(state, project, file));
  session.cancel();
  await sent;
  await session.close();
  writeFileSync(join(state, project, file), killed);
  s.events.length = 0;
  const next = await s.open({}, true);
  expect(next.loop().waiting.map(({ text }) => text)).toEqual(["be brief", "and then rest"]);
  expect(await next.send("go on")).toMatchObject({ subtype: "success", result: "second", undelivered: [] });
  expect(of(s.events, "steer.delivered")).toHaveLength(2);
  expect(of(s.events, "notice")).toMatchObject([{ code: "recalled", text: expect.stringContaining("(2)") }]);
  const heard = JSON.stringify(s.bodies().at(-1)?.messages);
  expect(heard).toMatch(/go on.*be brief.*heard.*and then rest/);
  expect(heard.match(/be brief/g)).toHaveLength(1);
  expect(await next.send("more")).toMatchObject({ result: "third" });
  expect(of(s.events, "steer.delivered")).toHaveLength(2);
});

test("what waits can get another text and another place until it is delivered; a kill loses neither", async () => {
  const s = await stage([waiting("a"), { text: "first" }, { text: "second" }, { text: "third" }, { text: "last" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  const [one = "", two = "", three = ""] = ["one", "two", "three"].map((text) => session.steer(text, "queue"));
  expect(session.revise(two, { text: "two, better" })).toBe(true);
  expect(session.revise(three, { before: one })).toBe(true);
  expect(session.revise("none", { text: "x" })).toBe(false);
  expect(() => session.revise(one, { text: " " })).toThrow(/needs text/);
  const order = ["three", "one", "two, better"];
  expect(session.loop().waiting.map(({ text }) => text)).toEqual(order);
  await until(() => of(s.events, "steer.revised").length > 1);
  expect(of(s.events, "steer.revised").map(({ id }) => id)).toEqual([two, three]);
  // The log as kill -9 would leave it here.
  const state = join(s.home, "sessions");
  const [project = ""] = readdirSync(state);
  const file = readdirSync(join(state, project)).find((name) => name.endsWith(".jsonl")) ?? "";
  const killed = readFileSync(join(state, project, file));
  session.cancel();
  expect((await sent).undelivered).toEqual(order);
  await session.close();
  writeFileSync(join(state, project, file), killed);
  const next = await s.open({}, true);
  expect(await next.send("go on")).toMatchObject({ result: "last", undelivered: [] });
  const heard = JSON.stringify(s.bodies().at(-1)?.messages);
  expect(heard).toMatch(/go on.*"three".*"one".*two, better/);
  expect(heard).not.toContain('"two"');
  expect(next.revise(one, { text: "too late" })).toBe(false);
});

test("blank steering is refused", async () => {
  const session = await (await stage([])).open();
  expect(() => session.steer(" \n", "now")).toThrow(/needs text/);
});

test("what waits can be taken back until it is delivered; then it is not said, and the log knows", async () => {
  const s = await stage([waiting(), { text: "first" }, { text: "second" }]);
  const session = await s.open();
  const sent = session.send("go");
  await until(() => of(s.events, "call.start").length > 0);
  const [kept, taken] = ["keep this", "take this back"].map((text) => session.steer(text, "queue"));
  expect([session.withdraw(taken ?? ""), session.withdraw(taken ?? ""), session.withdraw("none")]).toEqual([
    { text: "take this back", images: [] },
    null,
    null,
  ]);
  writeFileSync(join(s.root, "go"), "");
  expect(await sent).toMatchObject({ result: "second", undelivered: [] });
  expect(session.withdraw(kept ?? "")).toBeNull();
  expect(JSON.stringify(s.bodies())).not.toContain("take this back");
  expect(of(s.events, "steer.dropped").map(({ id }) => id)).toEqual([taken]);
});

describe("steering", () => {
  it("puts `now` into the very next request, behind the result of the running call", async () => {
    const set = await stage([list("a"), say("ok")]);
    const session = await set.open();
    const steered = (async () => {
      for await (const event of session.events()) {
        if (event.type !== "call.start") continue;
        session.steer("other way", "now");
        return;
      }
    })();
    await session.send("go");
    await steered;
    const last = set.bodies()[1]?.messages.at(-1)?.content ?? [];
    expect(last.map((block) => block.type)).toEqual(["tool_result", "text"]);
    expect(last[1]?.text).toBe("other way");
  });

  it("delivers queued ones in order, one per follow-up", async () => {
    const set = await stage([say("one"), say("two"), say("three")]);
    const session = await set.open();
    session.steer("second", "queue");
    session.steer("third", "queue");
    const result = await session.send("first");
    expect(result).toMatchObject({ result: "three", num_turns: 3, undelivered: [] });
    const texts = set
      .bodies()[2]
      ?.messages.filter((message) => message.role === "user")
      .map((message) => message.content[0]?.text);
    expect(texts).toEqual(["first", "second", "third"]);
    await session.close();
    const follow = ["running>follow_up steer", "follow_up>follow_up steer"];
    expect(states(set.events)).toEqual(["created>running", ...follow, "follow_up>completed stop"]);
  });

  it("lists what a cancelled run did not deliver, and closes the socket", async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const set = await stage(() => {
      arrive();
      return { text: "never", stallAfter: 0 };
    });
    const session = await set.open();
    session.steer("later", "queue");
    const running = session.send("go");
    await arrived;
    session.cancel();
    expect(await running).toMatchObject({ subtype: "error_cancelled", exit_code: 130, undelivered: ["later"] });
    await set.server.closed(0);
    await session.close();
    expect(states(set.events)).toEqual(["created>running", "running>cancelled"]);
  });
});
