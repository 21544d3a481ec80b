// Tells the model, after each change, whether the file still parses; and at the end of a run, once, what does not.
// Invariant: one observer is one run, and only what it broke is held against it. What a file had wrong at first is known
// and stays known; when somebody else changed it meanwhile, so is what they left.
// A file that is created or extended is under construction: what more text could mend is said as "so far". An edit, or
// the end of the run, closes it.

import type { ChangeObserver, ObservedChange } from "../core/ports.js";
import { sha256 } from "../lib/hash.js";
import type { SyntaxIssue } from "./checker.js";
import { faultsIn, judge, type Known, knownIn, maxShown, type Verdict } from "./verdict.js";

interface Watched {
  shown: string;
  /** sha256 of the text as this run left it. */
  left: string;
  known: Known;
  /** It had something wrong that this run brought in. */
  isBroken: boolean;
}

const maxListed = 10;

export class SyntaxObserver implements ChangeObserver {
  readonly #read: (path: string) => string | null;
  readonly #watched = new Map<string, Watched>();

  /** `read`: the text of a file now, null when there is none. */
  constructor(read: (path: string) => string | null) {
    this.#read = read;
  }

  async observe(change: ObservedChange): Promise<string | null> {
    const { path, shown, after } = change;
    const faults = await faultsIn(path, after);
    if (faults === null) return null;
    if (faults.kind === "unavailable") {
      this.#watched.delete(path);
      return adviceOf(faults);
    }
    const { verdict, known } = judge(change, faults.issues, await this.#knownIn(change, faults.issues));
    const isBroken = verdict.kind === "error" || (verdict.kind === "partial" && verdict.issues.some(isError));
    this.#watched.set(path, { shown, left: sha256(after), known, isBroken });
    return adviceOf(verdict);
  }

  async #knownIn(change: ObservedChange, issues: readonly SyntaxIssue[]): Promise<Known> {
    const watched = this.#watched.get(change.path);
    if (issues.length === 0) return new Map();
    if (watched && change.before !== null && watched.left === sha256(change.before)) return watched.known;
    return knownIn(change, issues);
  }

  /** The files that this run broke and that are broken now, in one line; null when there are none. */
  async broken(): Promise<string | null> {
    const found: string[] = [];
    for (const [path, { shown, known, isBroken }] of this.#watched) {
      const text = isBroken ? this.#read(path) : null;
      if (text === null) continue;
      const faults = await faultsIn(path, text);
      if (faults?.kind !== "faults") continue;
      const { verdict } = judge({ path, before: null, after: text, partial: false }, faults.issues, known);
      if (verdict.kind === "error") found.push(`${shown} (${placed(verdict.issues[0])})`);
    }
    if (found.length === 0) return null;
    const more = found.length > maxListed ? ` and ${found.length - maxListed} more` : "";
    return `${found.slice(0, maxListed).join("; ")}${more}`;
  }
}

/** A verdict as the line that ends a result. */
export function adviceOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case "unavailable":
      return `syntax: not checked (${verdict.why})`;
    case "partial": {
      const word = verdict.issues.some(isError) ? "error" : "open";
      return `syntax so far (partial): ${word} at ${listed(verdict.issues)}`;
    }
    case "error": {
      const more = verdict.more > 0 ? `; ${verdict.more} more` : "";
      return `syntax error at ${listed(verdict.issues)}${more}`;
    }
    case "ok": {
      const { still, hints } = verdict;
      if (still.length > 0) return `syntax: nothing new; as before, error at ${listed(still.slice(0, 1))}`;
      return hints.length > 0 ? `syntax: ok; odd at ${listed(hints.slice(0, maxShown))}` : "syntax: ok";
    }
  }
}

function isError(issue: SyntaxIssue): boolean {
  return !issue.isHint;
}

function listed(issues: readonly SyntaxIssue[]): string {
  return issues.map(placed).join("; at ");
}

/** `12:5: what is wrong (opened at 3:1)`. */
function placed(issue: SyntaxIssue | undefined): string {
  if (!issue) return "";
  const detail = issue.detail === undefined ? "" : ` (${issue.detail})`;
  return `${issue.line}:${issue.column}: ${issue.text}${detail}`;
}
