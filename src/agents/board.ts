// What agents at work beside each other have announced: the newest fifteen, for those that begin after it (SPEC 1.28).
// Invariant: nobody is told what it said itself; what does not fit into the budget is counted, and as much as fits is said.

import type { Announcement } from "../core/task.js";
import { listWithin } from "../lib/truncate.js";

interface Said extends Announcement {
  /** Id of a task, or `main`. */
  agent: string;
}

const kept = 15;
const longest = 300;

const lead = "Announced by agents at work beside you, newest first:";

export class Board {
  readonly #said: Said[] = [];

  add(agent: string, { kind, text }: Announcement): void {
    const line = text.replace(/\s+/g, " ").trim();
    this.#said.unshift({ agent, kind, text: line.length > longest ? `${line.slice(0, longest - 1)}…` : line });
    this.#said.length = Math.min(this.#said.length, kept);
  }

  /** At most `budget` characters; empty when nobody else has said anything. */
  textFor(agent: string, budget: number): string {
    const others = this.#said.filter((said) => said.agent !== agent);
    const items = others.map((said) => `${said.kind}: ${said.text} (${said.agent})`);
    return listWithin(lead, items, budget);
  }
}
