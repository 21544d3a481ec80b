// Runs the hooks of one event side by side, each with the payload on stdin, and returns what they said in the order in which
// they were written.
// Invariant: whatever a hook does, it becomes a reply; nothing throws, and nothing of it lives on.

import { messageOf } from "../core/errors.js";
import { hookName, type WrittenHook } from "../core/hook.js";
import type { JsonObject } from "../core/json.js";
import { exchange } from "../lib/exchange.js";
import type { Fs } from "../lib/fs.js";
import { bashPath } from "../lib/process.js";
import type { GroupGuard } from "../lib/supervisor.js";
import { fits } from "./match.js";
import { type HookOutcome, type HookReply, replyOf, withoutRewrite } from "./reply.js";

/** A hook that may run, and whether it still is what was approved. */
export interface Candidate {
  hook: WrittenHook;
  isSame(): boolean;
  /** What is run in its place, and where its files are; null = it has none. */
  approved(): { command: string; args?: readonly string[]; directory: string | null };
}

/** A command line in a sandbox. */
export interface CagedHook {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** After it: puts things right and says what was wrong. */
  settle(): string[];
}

export interface HookSurroundings {
  /** Where the project's hooks run: their relative paths are approved from there. */
  root: string;
  /** Where the user's own run. */
  cwd: string;
  /** Complete environments, by whose hook it is. */
  env(level: WrittenHook["level"]): Readonly<Record<string, string>>;
  /** What a hook hears of a payload, by whose it is; the very same object when that is all of it. */
  told(level: WrittenHook["level"], payload: JsonObject): JsonObject;
  /** What nobody of this machine wrote runs caged; null = it runs as it is. */
  cage(
    level: WrittenHook["level"],
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    directory: string | null,
  ): Promise<CagedHook | null>;
  signal: AbortSignal;
  guard: GroupGuard;
  disk: Fs;
}

export type Answered = HookReply & { hook: WrittenHook; name: string };

/** Bytes of one output; more is a fault. */
const maxBytes = 1024 * 1024;

/** The hooks that an event concerns. `names`: what it is about. */
export function hooksFor<Each extends Candidate>(
  all: readonly Each[],
  event: string,
  names: readonly string[],
): Each[] {
  return all.filter(({ hook }) => hook.event === event && fits(hook.matcher, names));
}

export function runHooks(
  hooks: readonly Candidate[],
  payload: JsonObject,
  around: HookSurroundings,
): Promise<Answered[]> {
  return Promise.all(
    hooks.map(async (candidate) => {
      const { hook } = candidate;
      const name = hookName(hook);
      const told = around.told(hook.level, payload);
      const reply = replyOf(hook, await outcomeOf(candidate, `${JSON.stringify(told)}\n`, around));
      return { ...(told === payload ? reply : withoutRewrite(hook, reply)), hook, name };
    }),
  );
}

async function outcomeOf(candidate: Candidate, input: string, at: HookSurroundings): Promise<HookOutcome> {
  const { hook, isSame } = candidate;
  const failed = (fault: string): HookOutcome => ({ exit: null, fault, stdout: "", stderr: "" });
  if (!isSame()) return failed("it has changed since it was approved; `cinch trust project` shows and approves it");
  try {
    const { command, args, directory } = candidate.approved();
    const plain = args ? [command, ...args] : [bashPath(at.disk), "--noprofile", "--norc", "-c", command];
    const env = at.env(hook.level);
    const caged = await at.cage(hook.level, plain, env, directory);
    const [file = "", ...words] = caged?.argv ?? plain;
    const { root, signal, guard } = at;
    const ended = await exchange({
      ...{ file, args: words, input, env: caged?.env ?? env },
      cwd: hook.level === "project" ? root : at.cwd,
      timeoutMs: hook.timeout * 1000,
      signal,
      guard,
      maxBytes,
    });
    const wrong = caged?.settle() ?? [];
    const stderr = [ended.stderr, ...wrong].filter((text) => text !== "").join("\n");
    if (caged && ended.exit === 1 && /^bwrap: /.test(ended.stderr))
      return failed(`the sandbox failed: ${stderr.trim()}`);
    return { ...ended, stderr, fault: ended.ended === null ? null : faults[ended.ended](hook) };
  } catch (error) {
    return failed(`it could not be started: ${messageOf(error)}`);
  }
}

const faults = {
  signal: () => "it was ended by a signal",
  timeout: ({ timeout }: WrittenHook) => `it took longer than ${timeout} s and was ended`,
  cancelled: () => "the run was cancelled",
  flood: () => `it wrote more than ${maxBytes} bytes and was ended`,
};
