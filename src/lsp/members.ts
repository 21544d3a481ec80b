// What came from a server, member by member: nothing of it has the shape that the protocol says until it was looked at. Pure.
// Invariant: nothing here throws, whatever is passed in; a position is whole and not negative.

import { fileURLToPath } from "node:url";
import type { Diagnostic, Position, Range } from "vscode-languageserver-types";
import { isObject } from "../lib/json.js";

export function memberOf(value: unknown, name: string): unknown {
  return isObject(value as never) ? (value as Record<string, unknown>)[name] : undefined;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function rangeOf(value: unknown): Range | null {
  const [start, end] = [positionOf(memberOf(value, "start")), positionOf(memberOf(value, "end"))];
  return start && end ? { start, end } : null;
}

function positionOf(value: unknown): Position | null {
  const [line, character] = [memberOf(value, "line"), memberOf(value, "character")];
  if (typeof line !== "number" || typeof character !== "number") return null;
  return { line: counted(line), character: counted(character) };
}

/** Some servers say "to the end" with a number that the protocol does not have. */
function counted(value: number): number {
  return Math.min(Math.max(Math.trunc(value), 0), 2 ** 31 - 1);
}

/** Those that are about a place. */
export function problemsIn(value: unknown): Diagnostic[] {
  return listOf(value).filter((each): each is Diagnostic => rangeOf(memberOf(each, "range")) !== null);
}

/** The file that a URI names, null for anything else. */
export function pathOf(uri: string): string | null {
  try {
    const path = fileURLToPath(uri);
    return path.includes("\0") ? null : path;
  } catch {
    // Not a file, not of this machine, or no URI: nothing here can show it.
    return null;
  }
}
