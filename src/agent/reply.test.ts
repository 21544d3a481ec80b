import { describe, expect, it } from "vitest";
import type { Message, Part, Stop } from "../core/message.js";
import { judge, maxContinuations, type Tried, untried } from "./reply.js";

const said = (...parts: Part[]): Message => ({ role: "assistant", parts });
const text = (value: string): Part => ({ type: "text", text: value });
const call: Part = { type: "call", id: "a", tool: "t", input: {} };
const thinking: Part = { type: "thinking", text: "hm", by: "p/m" };

const table: [string, Message, Stop, Tried, string][] = [
  ["calls", said(text("x"), call), "tools", untried, "calls"],
  ["calls although the stop says end", said(call), "end", untried, "calls"],
  ["calls of a cut message", said(call), "length", untried, "calls"],
  ["an answer", said(text("done")), "end", untried, "answer"],
  ["an answer although the stop says tools", said(text("done")), "tools", untried, "answer"],
  ["a refusal", said(text("no")), "refusal", untried, "end"],
  ["a cut answer", said(text("half")), "length", untried, "again"],
  ["a cut answer, continued enough", said(text("half")), "length", { ...untried, continued: maxContinuations }, "end"],
  ["silence", said(), "end", untried, "again"],
  ["only thinking", said(thinking), "end", untried, "again"],
  ["blanks", said(text(" \n")), "end", untried, "again"],
  ["silence again", said(), "end", { ...untried, nudged: 1 }, "end"],
];

describe("judge", () => {
  it.each(table)("%s", (_name, message, stop, tried, kind) => {
    expect(judge(message, stop, tried).kind).toBe(kind);
  });

  it("joins the pieces of a cut answer", () => {
    const first = judge(said(text("one ")), "length", untried);
    if (first.kind !== "again") throw new Error("expected another try");
    expect(judge(said(text("two")), "end", first.tried)).toEqual({ kind: "answer", text: "one two" });
  });

  it("names a truncated end", () => {
    const verdict = judge(said(text("x")), "length", { ...untried, text: "w", continued: maxContinuations });
    expect(verdict).toMatchObject({ kind: "end", subtype: "error_truncated", text: "wx" });
  });
});
