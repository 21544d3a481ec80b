import { describe, expect, test } from "vitest";
import { Replies } from "./replies.js";

const replies = (settings: object = {}) => new Replies({ name: "p", uri: "file:///p", settings: settings as never });
const never = new AbortController().signal;

test.each([
  ["workspace/workspaceFolders", null, [{ uri: "file:///p", name: "p" }]],
  [
    "workspace/configuration",
    { items: [{ section: "a.b" }, { section: "a.c" }, { section: "x.y" }, {}] },
    [1, null, 2, { a: { b: 1 }, "x.y": 2 }],
  ],
  ["workspace/configuration", { items: [{ section: "constructor" }] }, [null]],
  ["workspace/configuration", null, []],
  ["window/workDoneProgress/create", { token: 1 }, null],
  ["window/showMessageRequest", {}, null],
  ["window/showDocument", {}, { success: false }],
  ["workspace/diagnostic/refresh", null, null],
  ["workspace/semanticTokens/refresh", null, null],
  ["client/unregisterCapability", {}, null],
  ["something/else", {}, undefined],
])("%s is answered", (method, params, answer) => {
  expect(replies({ a: { b: 1 }, "x.y": 2 }).asked(method, params)).toEqual(answer);
});

test("what is registered after the start counts from then on", () => {
  const late = replies();
  expect(late.hasRegistered("textDocument/diagnostic")).toBe(false);
  late.asked("client/registerCapability", { registrations: [{ id: "1", method: "textDocument/diagnostic" }] });
  late.asked("client/registerCapability", { registrations: "nonsense" });
  expect(late.hasRegistered("textDocument/diagnostic")).toBe(true);
});

test("what is taken back no longer counts; what was registered a second time does until that is taken back too", () => {
  const server = replies();
  const method = "textDocument/diagnostic";
  const register = (id: string) => server.asked("client/registerCapability", { registrations: [{ id, method }] });
  const takeBack = (id: string) =>
    server.asked("client/unregisterCapability", { unregisterations: [null, { id, method }] });
  register("one");
  register("two");
  expect(takeBack("one")).toBeNull();
  expect(server.hasRegistered(method)).toBe(true);
  takeBack("other");
  expect(server.hasRegistered(method)).toBe(true);
  takeBack("two");
  expect(server.hasRegistered(method)).toBe(false);
});

describe("work that a server announces", () => {
  const tell = (to: Replies, token: string | number, kind: string) => to.told("$/progress", { token, value: { kind } });

  test("is waited for until all of it has ended", async () => {
    const server = replies();
    tell(server, 1, "begin");
    tell(server, "two", "begin");
    tell(server, 1, "report");
    let isOver = false;
    const rest = server.atRest(60_000, never).then((is) => {
      isOver = true;
      return is;
    });
    tell(server, 1, "end");
    await Promise.resolve();
    expect(isOver).toBe(false);
    tell(server, "two", "end");
    expect(await rest).toBe(true);
    expect(await server.atRest(60_000, never)).toBe(true);
  });

  test("is not waited for beyond the time, a cancel, or the server's end", async () => {
    const server = replies();
    tell(server, 1, "begin");
    expect(await server.atRest(0, never)).toBe(false);
    const cancel = new AbortController();
    const cancelled = server.atRest(60_000, cancel.signal);
    cancel.abort();
    expect(await cancelled).toBe(false);
    const gone = server.atRest(60_000, never);
    server.over();
    expect(await gone).toBe(true);
  });
});

describe("an edit that a server sends", () => {
  const apply = (to: Replies, edit: object) => to.asked("workspace/applyEdit", { edit });

  test("is never done: it is refused, unless one was asked for; then it is kept", async () => {
    const server = replies();
    expect(apply(server, { a: 1 })).toEqual({ applied: false, failureReason: "nobody has asked for an edit" });
    const edits = await server.collectEdits(async () => {
      expect(apply(server, { b: 1 })).toMatchObject({ applied: false });
    });
    expect(edits).toEqual([{ b: 1 }]);
    expect(apply(server, { c: 1 })).toMatchObject({ failureReason: "nobody has asked for an edit" });
  });

  test("belongs to the work that it was sent for, also when several are asked for at once and one fails", async () => {
    const server = replies();
    const work = (name: string, fails = false) =>
      server.collectEdits(async () => {
        await Promise.resolve();
        apply(server, { name });
        await Promise.resolve();
        if (fails) throw new Error("no");
      });
    const all = await Promise.allSettled([work("one"), work("two", true), work("three")]);
    expect(all).toMatchObject([
      { value: [{ name: "one" }] },
      { reason: expect.any(Error) },
      { value: [{ name: "three" }] },
    ]);
  });
});
