// Errors by addressee. Whoever throws decides who reads: the model, the user or a developer.
//   ModelError / Refusal  -> the result of one call; the session goes on
//   UserError             -> one message on stderr and an exit code (CONTRACT §2)
//   Cancelled             -> nobody's fault
//   anything else         -> a bug: logged with its stack, exit 1

import type { FileChange } from "./plan.js";

/** For the model: what happened and what is true now, plus what to do next. */
export class ModelError extends Error {
  override name = "ModelError";
  readonly hint: string | undefined;

  constructor(text: string, hint?: string) {
    super(text);
    this.hint = hint;
  }
}

/** Ways on from a refusal, without naming a tool; `agent/refusal.ts` renders the names that are declared (SPEC 1.24). */
export type Way =
  | "create"
  | "edit"
  | "edit-more"
  | "edit-all"
  | "append"
  | "append-anyway"
  | "rewrite"
  | "complete"
  | "read"
  | "read-part"
  | "list"
  | "search"
  | "run";

export type RefusalKind =
  | "exists"
  | "missing"
  | "unread"
  | "stale"
  | "outside"
  | "not-a-file"
  | "binary"
  | "no-match"
  | "ambiguous"
  | "size"
  | "placeholder"
  | "conflict"
  | "input";

/** What comes with a refusal beside its text. */
export interface RefusalFacts {
  /** Contents that the text shows (`before === after`). */
  seen?: readonly FileChange[];
  /** Under this name the refused text is kept: it can be written without being sent again. */
  ref?: string;
  /** The kept text was cut: it may only be written together with what follows it. */
  beginning?: { lines: number; last: string };
}

/** A typed no from a tool: nothing was changed. */
export class Refusal extends ModelError {
  override name = "Refusal";
  readonly kind: RefusalKind;
  readonly ways: readonly Way[];
  readonly facts: RefusalFacts;

  constructor(kind: RefusalKind, text: string, ways: readonly Way[] = [], facts: RefusalFacts = {}) {
    super(text);
    this.kind = kind;
    this.ways = ways;
    this.facts = facts;
  }
}

/** For the user: `text` says what is wrong, `fix` what to do; `exit` is the process's exit code. */
export class UserError extends Error {
  override name = "UserError";
  readonly fix: string | undefined;
  readonly exit: number;

  constructor(text: string, fix?: string, exit = 2) {
    super(text);
    this.fix = fix;
    this.exit = exit;
  }
}

/** The session log did not take an entry: nothing may be done that is not in it, so the run ends. */
export class Unrecorded extends UserError {}

export class Cancelled extends Error {
  override name = "Cancelled";

  constructor(text = "cancelled") {
    super(text);
  }
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a system error (`ENOENT`, …), or undefined. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}
