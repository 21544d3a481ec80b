// A call in a few words, from what the model asked for alone: until its plan is known, and in sessions read from their log.
// Asks nothing about the tool: the first short text of the input is what people recognise a call by.

import type { CallPart } from "../../core/message.js";

const longest = 120;

export function summaryOf({ tool, input }: Pick<CallPart, "tool" | "input">): string {
  const text = Object.values(input).find((value) => typeof value === "string" && value.trim() !== "");
  if (typeof text !== "string") return tool;
  const first = text.trim().split("\n")[0] ?? "";
  return `${tool} ${first.length > longest ? `${first.slice(0, longest)}…` : first}`;
}
