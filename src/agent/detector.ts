// Does a run go round in circles? Pure: the last rounds in, at most one finding out. T is the threshold.
//
//   shape        what it sees
//   same         the last T rounds: same calls, same results, nothing changed in the project
//   cycle        of the last 2T rounds, the second half is made of the same ones as the first (A-B-C-A-B-C)
//   error        the last T rounds: every call failed, and all with one message, numbers aside
//   failing      one tool failed in T rounds, with nothing learned or changed in between; from then on when a message comes
//                back, or after 2T failures whatever they say
//   no-bytes     five rounds tried to change files, and none did
//   no-news      the last 2T rounds asked for different things and got one and the same, nothing changed
//
// Rounds that only look at what goes on by itself have four times the patience: T counts as 4T.
// Calls that repeat with other results are progress: a poll, a growing log, tests after an edit.
// The window is not cleared by a finding: each further round that still fits is the next one (SPEC 1.18).

import type { Round, RoundCall } from "./round.js";

export type Shape = "same" | "cycle" | "error" | "failing" | "no-bytes" | "no-news";

export interface Finding {
  shape: Shape;
  /** Rounds that fit. */
  count: number;
  /** Tools that take part. */
  tools: string[];
}

const writingRounds = 5;
/** For rounds that wait. */
export const patience = 4;

/** `rounds`: oldest first, since the last one that was productive or further back. */
export function detect(rounds: readonly Round[], threshold: number): Finding | null {
  const newest = rounds.at(-1);
  if (!newest || newest.calls.length === 0) return null;
  const isWaiting = newest.calls.every(({ polls }) => polls);
  const bar = isWaiting ? patience * threshold : threshold;
  const shapes = [sameRounds, cycle, sameError, failingTool, noBytes, noNews];
  for (const shape of shapes) {
    const found = shape(rounds, bar);
    if (found) return found;
  }
  return null;
}

function sameRounds(rounds: readonly Round[], threshold: number): Finding | null {
  const count = trailing(rounds, (round, newest) => round.signature === newest.signature);
  return count >= threshold ? finding("same", count, rounds.slice(-1)) : null;
}

function cycle(rounds: readonly Round[], threshold: number): Finding | null {
  const window = rounds.slice(-2 * threshold);
  if (window.length < 2 * threshold) return null;
  const [first, second] = [window.slice(0, threshold), window.slice(threshold)].map(signatures);
  const fits = first?.size === second?.size && [...(first ?? [])].every((signature) => second?.has(signature));
  return fits ? finding("cycle", window.length, window) : null;
}

function signatures(rounds: readonly Round[]): Set<string> {
  return new Set(rounds.map(({ signature }) => signature));
}

function sameError(rounds: readonly Round[], threshold: number): Finding | null {
  const message = rounds.at(-1)?.calls[0]?.error;
  if (!message) return null;
  const count = trailing(
    rounds,
    (round, newest) => round.revision === newest.revision && round.calls.every(({ error }) => error === message),
  );
  return count >= threshold ? finding("error", count, rounds.slice(-count)) : null;
}

function failingTool(rounds: readonly Round[], threshold: number): Finding | null {
  const newest = rounds.at(-1)?.calls ?? [];
  for (const tool of new Set(newest.filter(({ failed }) => failed).map((call) => call.tool))) {
    const errors = failures(rounds, tool);
    const count = errors.length;
    const again = errors.indexOf(errors.at(-1) ?? "") < count - 1;
    if (count === threshold || (count > threshold && again) || count >= 2 * threshold) {
      return { shape: "failing", count, tools: [tool] };
    }
  }
  return null;
}

/** Messages of the rounds in which the tool failed, since it last succeeded or the project changed; oldest first. */
function failures(rounds: readonly Round[], tool: string): string[] {
  const errors: string[] = [];
  const revision = rounds.at(-1)?.revision;
  for (const round of [...rounds].reverse()) {
    const own = round.calls.filter((call) => call.tool === tool);
    if (round.revision !== revision || own.some(({ failed }) => !failed)) break;
    if (own.length > 0) errors.unshift(own.map(({ error }) => error).join(" "));
  }
  return errors;
}

function noBytes(rounds: readonly Round[]): Finding | null {
  const tries = ({ calls }: Round) => calls.some(({ writes }) => writes) && !calls.some(({ wrote }) => wrote);
  const count = trailing(rounds, tries);
  return count >= writingRounds ? finding("no-bytes", count, rounds.slice(-count)) : null;
}

function noNews(rounds: readonly Round[], threshold: number): Finding | null {
  const count = trailing(rounds, (round, newest) => round.outcome === newest.outcome);
  return count >= 2 * threshold ? finding("no-news", count, rounds.slice(-count)) : null;
}

/** How many rounds at the end fit, without a gap. */
function trailing(rounds: readonly Round[], fits: (round: Round, newest: Round) => boolean): number {
  const newest = rounds.at(-1);
  if (!newest) return 0;
  const gap = rounds.findLastIndex((round) => !fits(round, newest));
  return rounds.length - 1 - gap;
}

function finding(shape: Shape, count: number, rounds: readonly Round[]): Finding {
  const calls: RoundCall[] = rounds.flatMap((round) => [...round.calls]);
  return { shape, count, tools: [...new Set(calls.map(({ tool }) => tool))] };
}
