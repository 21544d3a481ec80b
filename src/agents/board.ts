// What agents at work beside each other have announced: the newest fifteen (SPEC 1.28). Those that begin later read all of
// them, those at work what is new to them.
// Invariant: nobody is told what it said itself; what does not fit into the budget is counted, and as much as fits is said.

import type { Announcement } from "../core/task.js";
import { listWithin } from "../lib/truncate.js";

interface Said extends Announcement {
  /** Id of a task, or `main`. */
  agent: string;
  /** Counts all that was ever said, from 1. */
  number: number;
}

const kept = 15;
const longest = 300;

const lead = "Announced by agents at work beside you, newest first:";

export class Board {
  readonly #said: Said[] = [];
  #count = 0;

  /** How many announcements there have been. */
  get count(): number {
    return this.#count;
  }

  add(agent: string, { kind, text }: Announcement): void {
    const line = text.replace(/\s+/g, " ").trim();
    const short = line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
    this.#said.unshift({ agent, kind, text: short, number: ++this.#count });
    this.#said.length = Math.min(this.#said.length, kept);
  }

  /** At most `budget` characters; empty when nobody else has said anything since the announcement with the number `since`. */
  textFor(agent: string, budget: number, since = 0): string {
    const others = this.#said.filter((said) => said.agent !== agent && said.number > since);
    const items = others.map((said) => `${said.kind}: ${said.text} (${said.agent})`);
    return listWithin(lead, items, budget);
  }
}
