// Standard output and standard error, opened on first use: the one writer. stdout carries the answer or the protocol and
// nothing else.
// Invariants: a terminal gets `SafeText` only, by type; nothing that is known to be secret gets out; a reader that goes away is not an error; `stdoutGone` tells whoever wants to stop working for nobody.

import type { SafeText } from "../lib/safe-text.js";
import { knownSecrets } from "../secrets/known.js";

type Stream = NodeJS.WriteStream;

let out: Stream | undefined;
let err: Stream | undefined;
let gone = false;
let fault: string | undefined;
let notify: (() => void) | undefined;

export function writeOut(text: SafeText): void {
  stdout().write(knownSecrets.values(text));
}

/** To a file or a pipe, which gets the characters as they are; a terminal gets nothing this way. */
export function writeExact(text: string): void {
  if (stdout().isTTY) throw new Error("exact text was about to reach a terminal");
  stdout().write(knownSecrets.values(text));
}

export function writeErr(text: SafeText): void {
  if (!err) {
    err = process.stderr;
    err.on("error", () => {});
  }
  err.write(knownSecrets.values(text));
}

/** Calls back once, when nobody reads stdout any more. */
export function onStdoutGone(callback: () => void): void {
  notify = callback;
  if (gone) callback();
}

/** Resolves when all that was written is with the kernel, or will never be. */
export function flushOut(): Promise<void> {
  if (!out || gone) return Promise.resolve();
  return new Promise((resolve) => {
    out?.once("error", () => resolve());
    out?.write("", () => resolve());
  });
}

/** Hands over what was written and says why that failed, a full disk for example; undefined when it did not. */
export async function outFault(): Promise<string | undefined> {
  await flushOut();
  return fault;
}

function stdout(): Stream {
  if (!out) {
    out = process.stdout;
    out.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") fault ??= error.message;
      if (!gone) notify?.();
      gone = true;
    });
  }
  return out;
}
