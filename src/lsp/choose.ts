// Which server serves which file, and why not. Pure: what there is comes in, what is used comes out.
// Invariant: the user's lsp.json goes before what the project names, and that before what is known; within each the first
// that can be started wins. A server that is a matter of trust is only ever `ready` with the user's approval.

import type { ServerStatus } from "../core/lsp.js";
import type { ServerPlan } from "./plan.js";

/** A server as it stands now. */
export interface Candidate {
  plan: ServerPlan;
  state: Exclude<ServerStatus["state"], "running" | "failed">;
  why: string;
}

export type Choice = { plan: ServerPlan } | { why: string };

/** `path`: of the file. */
export function serverFor(path: string, candidates: readonly Candidate[]): Choice {
  const extension = extensionOf(path);
  const fitting = candidates.filter(({ plan }) => extension !== "" && Object.hasOwn(plan.languages, extension));
  const ready = fitting.find(({ state }) => state === "ready");
  if (ready) return { plan: ready.plan };
  const kind = extension === "" ? "files without an extension" : `*${extension}`;
  if (fitting.length === 0) return { why: `No language server is known for ${kind}.` };
  const reasons = fitting.map(({ plan, why }) => `${plan.name}: ${why}`);
  return { why: `No language server for ${kind} can be started here (${reasons.join("; ")}).` };
}

/** With its dot, in lower case; "" when there is none. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot).toLowerCase();
}

/**
 * The directory to be the root of a server for this file: of those from the project's root down to the file the first
 * that has one of the marks.
 */
export function rootFor(path: string, root: string, has: (directory: string) => boolean): string {
  const way = [root];
  for (const name of path
    .slice(root === "/" ? 1 : root.length + 1)
    .split("/")
    .slice(0, -1)) {
    way.push(`${way.at(-1) === "/" ? "" : way.at(-1)}/${name}`);
  }
  return way.find(has) ?? root;
}
