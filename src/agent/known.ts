// What is known of a run that ended without an answer: why, what it did, and the model's last words. Pure.
// Invariant: nothing is claimed that is not in the log or the tally. A run that did nothing and said nothing has nothing to tell.

import type { Entry } from "../core/entry.js";
import { callsOf, textOf } from "../core/message.js";
import { cutLine } from "../lib/truncate.js";
import type { Tally } from "./tally.js";

const most = { words: 2_000, call: 200, files: 20 };

export function whatIsKnown(detail: string, path: readonly Entry[], tally: Tally): string {
  const messages = path.flatMap((entry) => (entry.type === "message" ? [entry.data] : []));
  const own = messages.slice(messages.findLastIndex(({ origin }) => origin === "user") + 1);
  const words = own.findLast((message) => message.role === "assistant" && textOf(message).trim() !== "");
  const files = tally.files().map((change) => change.path);
  if (tally.toolCalls === 0 && files.length === 0 && !words) return "";
  const call = own.flatMap((message) => (message.role === "assistant" ? callsOf(message) : [])).at(-1);
  const parts = own.flatMap((message) => message.parts);
  const result = call && parts.findLast((part) => part.type === "result" && part.callId === call.id);
  const lines = [`There is no answer: ${detail.replace(/\.$/, "")}.`, `Calls: ${tally.toolCalls}.`];
  if (call) {
    const outcome = result?.type === "result" ? (result.isError ? "it failed" : "it succeeded") : "it was not run";
    lines.push(cutLine(`Last call: ${call.tool} ${JSON.stringify(call.input)} (${outcome})`, most.call));
  }
  const more = files.length > most.files ? ` and ${files.length - most.files} more` : "";
  lines.push(files.length === 0 ? "No files changed." : `Changed: ${files.slice(0, most.files).join(", ")}${more}.`);
  if (words) lines.push("", "The model's last words:", textOf(words).trim().slice(0, most.words));
  return lines.join("\n");
}
