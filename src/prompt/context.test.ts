import { expect, it } from "vitest";
import { type ContextFacts, contextChanges, contextRecord, contextText, linesPerReply } from "./context.js";

const facts: ContextFacts = {
  date: "2026-11-21",
  platform: "linux",
  cwd: "/p",
  root: "/p",
  mode: "auto",
  answerable: false,
  profile: "full",
  maxOutput: 4096,
  instructions: [],
  appended: "",
  claims: "",
  announced: "",
};

it("is short when there is little to say", () => {
  expect(contextText(facts)).toBe(
    "Date: 2026-11-21\nPlatform: linux\nProject: /p\nOne reply holds about 300 lines of a file.",
  );
});

it("says when nobody can approve", () => {
  expect(contextText({ ...facts, mode: "acceptEdits" })).toContain("Commands need an approval that nobody can give");
  expect(contextText({ ...facts, mode: "ask", answerable: true })).toContain("shown to the user for approval");
});

it("delivers only what changed", () => {
  const before = contextRecord(facts);
  expect(contextChanges(before, facts)).toBe("");
  const now = { ...facts, date: "2026-11-22", instructions: [{ name: "AGENTS.md", text: "Be kind." }] };
  expect(contextChanges(before, now)).toBe(
    "Changed since the context above was written:\nDate: 2026-11-22\n\n# Instructions from AGENTS.md\nBe kind.",
  );
  expect(contextChanges(contextRecord(now), { ...facts, date: "2026-11-22" })).toContain("no longer apply");
});

it.each([
  [4096, 300],
  [8192, 650],
  [64000, 5300],
  [200, 20],
])("a limit of %i tokens holds %i lines", (tokens, lines) => {
  expect(linesPerReply(tokens)).toBe(lines);
});
