// Whether this project may speak to the model, and what it would say (SPEC 1.15).
// Invariant: an untrusted project is another type: it has the names of what was left out and no content at all, so a
// forgotten check cannot compile. Trust comes from the flag or the process environment, never from a project file.
// Not here yet: the store of recorded trust, and executable resources.

import { dirname, join, relative } from "node:path";
import type { Fs } from "../lib/fs.js";
import { readSmall } from "../lib/small-file.js";

export interface UntrustedProject {
  trust: "untrusted" | "none";
  /** Paths relative to the root, of what a trusted project would have had loaded. */
  ignored: readonly string[];
}

export interface TrustedProject {
  trust: "trusted";
  /** From the root down to the working directory, nearest last. */
  instructions: readonly InstructionFile[];
}

export interface InstructionFile {
  /** Relative to the project root. */
  name: string;
  text: string;
}

export interface TrustFacts {
  root: string;
  cwd: string;
  /** `--trust` or the SDK's option. */
  flag: boolean;
  /** `CINCH_TRUST_PROJECT` of the process environment. */
  variable: string | undefined;
  /** Bytes kept of one file. */
  maxBytes: number;
}

/** First of these that a directory has; CLAUDE.md only where there is no AGENTS.md. */
const names = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];

export function lookAtProject(disk: Fs, facts: TrustFacts): TrustedProject | UntrustedProject {
  const found = directories(facts).flatMap((directory) => {
    const file = names.map((name) => join(directory, name)).find((path) => disk.existsSync(path));
    return file ? [file] : [];
  });
  if (!isTrusted(facts)) {
    return { trust: found.length > 0 ? "untrusted" : "none", ignored: found.map((path) => relative(facts.root, path)) };
  }
  const instructions = found.flatMap((path) => {
    const text = inside(disk, path, facts.root) ? readInstruction(disk, path, facts.maxBytes) : undefined;
    return text === undefined ? [] : [{ name: relative(facts.root, path), text }];
  });
  return { trust: "trusted", instructions };
}

/** The text of an instruction file, cut at `maxBytes` with a note; undefined when it cannot be read or is not text. */
export function readInstruction(disk: Fs, path: string, maxBytes: number): string | undefined {
  const read = readSmall(disk, path, maxBytes);
  if (!read || read.text.includes("\u0000")) return undefined;
  return read.cut
    ? `${read.text}\n[cut: the file has ${read.bytes} bytes, ${maxBytes} are shown]`
    : read.text.trimEnd();
}

/** A link out of the project would make any file of the user's an instruction. */
function inside(disk: Fs, path: string, root: string): boolean {
  try {
    return !relative(root, disk.realpathSync(path)).startsWith("..");
  } catch {
    return false;
  }
}

function isTrusted(facts: TrustFacts): boolean {
  if (facts.variable === "1") return true;
  if (facts.variable === "0") return false;
  return facts.flag;
}

/** From the root down to the working directory. */
function directories({ root, cwd }: TrustFacts): string[] {
  const path = [cwd];
  for (let at = cwd; at !== root && at !== dirname(at); ) {
    at = dirname(at);
    path.unshift(at);
  }
  return path;
}
