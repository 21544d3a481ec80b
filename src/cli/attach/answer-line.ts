// `/answer <sign> …` in an attached terminal: which question it means, and what it says. The sign is the end of the question's random
// id and is shown with it, so no line that was typed before can answer one. Pure.

import type { Approval } from "../../index.js";
import type { GuestAnswer } from "./spool.js";

const signLength = 4;

export function signOf({ id }: Pick<Approval, "id">): string {
  return id.slice(-signLength);
}

/** Below the question: how each answer is said. */
export function waysOf(question: Approval): string[] {
  const sign = signOf(question);
  if (question.answers) return [`/answer ${sign} <words> answers it.`];
  const always =
    question.rule === null ? [] : [`/answer ${sign} a allows it from now on in this project: ${question.rule}`];
  return [`/answer ${sign} y allows it once`, ...always, `/answer ${sign} n denies it; words behind it say why`];
}

export type AnswerLine = { question: string; answer: GuestAnswer } | { fault: string };

/** `line` begins with `/answer`. */
export function readAnswer(line: string, open: readonly Approval[]): AnswerLine {
  const [, sign = "", rest = ""] = /^\/answer\s+(\S+)\s*(.*)$/.exec(line) ?? [];
  const question = open.find((each) => sign === each.id || sign === signOf(each));
  if (!question)
    return { fault: sign === "" ? "/answer needs the sign of a question." : `No open question has the sign ${sign}.` };
  const { id } = question;
  const [, word = "", words = ""] = /^(\S*)\s*(.*)$/.exec(rest) ?? [];
  const fault = { fault: waysOf(question).join("\n") };
  if (question.answers) return rest === "" ? fault : { question: id, answer: { decision: "allow", feedback: rest } };
  if (word === "n") {
    return { question: id, answer: { decision: "deny", ...(words === "" ? {} : { feedback: words }) } };
  }
  if (words !== "") return fault;
  if (word === "y") return { question: id, answer: { decision: "allow" } };
  if (word === "a" && question.rule !== null) return { question: id, answer: { decision: "allow", remember: true } };
  return fault;
}
