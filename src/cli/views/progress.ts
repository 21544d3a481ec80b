// One line that says what is happening now, for a person who watches stderr. `advance` and `progressText` are pure;
// `ProgressLine` draws. Nothing here is kept: the line is gone before anything else is printed.

import type { Event } from "../../core/event.js";
import { drawnLine, type SafeText, safeLine, safeText } from "../../lib/safe-text.js";

export interface Progress {
  turn: number;
  tokens: number;
  cost: number | null;
  doing: string;
  /** ISO time of the first event. */
  since: string;
  now: string;
}

export const noProgress: Progress = { turn: 0, tokens: 0, cost: 0, doing: "starting", since: "", now: "" };

export function advance(before: Progress, event: Event): Progress {
  const at = { ...before, since: before.since || event.time, now: event.time };
  switch (event.type) {
    case "turn.start":
      return { ...at, turn: event.turn, doing: "waiting for the model" };
    case "thinking.delta":
      return { ...at, doing: "thinking" };
    case "text.delta":
      return { ...at, doing: "writing" };
    case "turn.retry":
      return { ...at, doing: `trying again (${event.text})` };
    case "turn.end": {
      const { input, output, cacheRead, cacheWrite } = event.usage;
      const cost = at.cost === null || event.cost === null ? null : at.cost + event.cost;
      return { ...at, tokens: at.tokens + input + output + cacheRead + cacheWrite, cost };
    }
    case "call.start":
      return { ...at, doing: event.summary };
    case "call.progress":
      return { ...at, doing: event.line };
    case "approval.ask":
      return { ...at, doing: `waiting for an answer: ${event.summary}` };
    default:
      return at;
  }
}

/** `12 s · turn 3 · 14.2k tokens · $0.03 · npm test`, at most `width` characters. */
export function progressText(progress: Progress, width: number): SafeText {
  const { turn, tokens, cost, doing, since, now } = progress;
  const seconds = since === "" ? 0 : Math.floor((Date.parse(now) - Date.parse(since)) / 1000);
  const parts = [`${seconds} s`, `turn ${turn}`];
  if (tokens > 0) parts.push(`${short(tokens)} tokens`);
  if (cost !== null && cost > 0) parts.push(`$${cost.toFixed(cost < 0.1 ? 4 : 2)}`);
  return safeLine([...parts, doing].join(" · "), width);
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** At most ten drawings a second, by the time of the events. */
const pace = 100;

export class ProgressLine {
  readonly #write: (text: SafeText) => void;
  readonly #width: () => number;
  readonly #color: boolean;
  #progress = noProgress;
  #drawn = 0;
  #visible = false;

  constructor(write: (text: SafeText) => void, width: () => number, color: boolean) {
    this.#write = write;
    this.#width = width;
    this.#color = color;
  }

  event(event: Event): void {
    this.#progress = advance(this.#progress, event);
    const now = Date.parse(event.time);
    if (now - this.#drawn < pace) return;
    this.#drawn = now;
    const text = progressText(this.#progress, this.#width() - 1);
    this.#write(drawnLine(text, this.#color));
    this.#visible = true;
  }

  clear(): void {
    if (this.#visible) this.#write(drawnLine(safeText(""), false));
    this.#visible = false;
  }
}
