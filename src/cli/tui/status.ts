// The status line: a template of the user's with words for what is known, or the output of a command of the user's.
// Invariant: what is not known is left out with the text around it up to the next bar, so no figure is ever made up.

import type { Usage } from "../../core/message.js";
import { hitRate } from "../../core/message.js";

export interface Facts {
  model: string;
  mode: string;
  branch: string | null;
  /** Tokens of the newest request, and the window. */
  context: number | null;
  window: number | null;
  cost: number | null;
  usage: Usage | null;
  tasks: number;
  waiting: number;
  session: string;
}

export const defaultTemplate = "{model} | {mode} | {branch} | {context} | {cost} | {cache} | {tasks}";

export const statusWords = [
  "model",
  "mode",
  "branch",
  "context",
  "cost",
  "cache",
  "tasks",
  "waiting",
  "session",
] as const;

type Word = (typeof statusWords)[number];

export function statusText(template: string, facts: Facts): string {
  const parts = template.split("|").map((part) => filled(part.trim(), facts));
  return parts.filter((part): part is string => part !== null && part !== "").join(" · ");
}

function filled(part: string, facts: Facts): string | null {
  let missing = false;
  const text = part.replace(/\{([a-z]+)\}/g, (given, word: string) => {
    const known = (statusWords as readonly string[]).includes(word) ? factOf(word as Word, facts) : given;
    if (known === null) missing = true;
    return known ?? "";
  });
  return missing ? null : text;
}

function factOf(word: Word, facts: Facts): string | null {
  switch (word) {
    case "context":
      return share(facts.context, facts.window);
    case "cost":
      return facts.cost === null || facts.cost === 0 ? null : `$${facts.cost.toFixed(facts.cost < 1 ? 3 : 2)}`;
    case "cache": {
      const rate = facts.usage ? hitRate(facts.usage) : null;
      return rate === null || rate === 0 ? null : `cache ${Math.round(rate * 100)}%`;
    }
    case "tasks":
      return facts.tasks === 0 ? null : facts.tasks === 1 ? "1 task" : `${facts.tasks} tasks`;
    case "waiting":
      return facts.waiting === 0 ? null : `${facts.waiting} waiting`;
    default:
      return facts[word];
  }
}

function share(used: number | null, window: number | null): string | null {
  if (used === null || used === 0) return null;
  const tokens = used < 1000 ? String(used) : `${(used / 1000).toFixed(used < 10_000 ? 1 : 0)}k`;
  return window === null
    ? `${tokens} tokens`
    : `${tokens} of ${Math.round(window / 1000)}k (${Math.round((100 * used) / window)}%)`;
}
