// Lines that answer a question, and lines that do not.

import { expect, test } from "vitest";
import type { Approval } from "../../index.js";
import { readAnswer, signOf, waysOf } from "./answer-line.js";

const about = { agent: "main", call: "c", tool: "t", summary: "run x", digest: "d", reason: "r", parts: [] };
const view = { type: "text", text: "" } as const;
const plain: Approval = { ...about, view, id: "0123456789ab", rule: null };
const ruled: Approval = { ...about, view, id: "0123456789cd", rule: "Bash(x)" };
const words: Approval = { ...about, view, id: "0123456789ef", rule: null, answers: ["tea", "coffee"] };
const open = [plain, ruled, words];

test.each<[line: string, question: Approval, answer: object]>([
  ["/answer 89ab y", plain, { decision: "allow" }],
  ["/answer 0123456789ab y", plain, { decision: "allow" }],
  ["/answer 89ab n", plain, { decision: "deny" }],
  ["/answer  89ab  n not  here", plain, { decision: "deny", feedback: "not  here" }],
  ["/answer 89cd a", ruled, { decision: "allow", remember: true }],
  ["/answer 89ef coffee, black", words, { decision: "allow", feedback: "coffee, black" }],
  ["/answer 89ef n", words, { decision: "allow", feedback: "n" }],
])("%j", (line, { id }, answer) => expect(readAnswer(line, open)).toEqual({ question: id, answer }));

test.each([
  ["/answer", "/answer needs the sign of a question."],
  ["/answer y", "No open question has the sign y."],
  ["/answer 9ab y", "No open question has the sign 9ab."],
  ["/answer 89ab", waysOf(plain).join("\n")],
  // No rule is on offer.
  ["/answer 89ab a", waysOf(plain).join("\n")],
  ["/answer 89ab yes", waysOf(plain).join("\n")],
  ["/answer 89ab y please", waysOf(plain).join("\n")],
  ["/answer 89ef", waysOf(words).join("\n")],
])("%j answers nothing", (line, fault) => expect(readAnswer(line, open)).toEqual({ fault }));

test("what is on offer is what is read", () => {
  expect(waysOf(plain).join()).not.toContain(`/answer ${signOf(plain)} a `);
  expect(waysOf(ruled).join()).toContain("/answer 89cd a allows it from now on in this project: Bash(x)");
});
