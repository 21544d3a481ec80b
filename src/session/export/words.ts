// The words and figures that every written form of a session shares. Texts of a session are made safe here, once.
// Invariant: what comes out holds no control character and hides nothing (lib/safe-text.ts).

import { grouped } from "../../lib/grouped.js";
import { safeText } from "../../lib/safe-text.js";
import type { Call, Change, Said } from "./story.js";

/** Longer outputs are cut in forms for reading; the JSONL form has them whole. */
const readable = 20_000;

export const names: Record<Said["who"], string> = {
  user: "You",
  agent: "Agent",
  harness: "Harness",
  hook: "Hook",
  task: "Task",
  summary: "Summary of what came before",
};

/** Safe, and at most so long that a page can be read. */
export function shown(text: string, limit = readable): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}\n… ${text.length - limit} more characters` : text;
  return safeText(cut);
}

/** The arguments of a call; where a diff says what was done, long texts are only begun. */
export function argumentsOf({ call, changes }: Call): string {
  if (call.raw !== undefined) return shown(call.raw, 2_000);
  const limit = changes.some(({ diff }) => diff !== null) ? 100 : 4_000;
  const short = (_key: string, value: unknown) =>
    typeof value === "string" && value.length > limit
      ? `${value.slice(0, limit)}… (${value.length} characters)`
      : value;
  return shown(JSON.stringify(call.input, short, 2) ?? "{}");
}

export function statusOf({ result, status, approval }: Call): string {
  if (!result && status === null) return "no result";
  const words = status ?? (result?.isError ? "error" : "ok");
  if (!approval) return words;
  const rule = approval.rule === null ? "" : `, ${safeText(approval.rule)}`;
  return `${words}; ${approval.decision === "allow" ? "allowed" : "denied"} by ${safeText(approval.by)}${rule}`;
}

export function changeLine({ path, added, removed, diff }: Change): string {
  const counts = diff === null ? "contents are not kept" : `+${added} -${removed}`;
  return `${safeText(path)} (${counts})`;
}

export function money(usd: number | null): string {
  return usd === null ? "price unknown" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export function percent(share: number | null): string {
  return share === null ? "–" : `${(share * 100).toFixed(1)} %`;
}

export function count(tokens: number): string {
  return grouped(Math.round(tokens));
}

/** "" when the clock of the log is no date. */
export function when(time: number): string {
  return Math.abs(time) <= 8.64e15 ? new Date(time).toISOString().slice(0, 19).replace("T", " ") : "";
}

export function costLine({ usage, usd }: NonNullable<Said["turn"]>): string {
  const { input, output, cacheRead, cacheWrite } = usage;
  const sent = `${count(cacheRead)} read, ${count(cacheWrite)} written, ${count(input)} uncached`;
  return `${sent}, ${count(output)} out; ${money(usd)}`;
}
