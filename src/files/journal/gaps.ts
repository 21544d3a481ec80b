// Says what undo does not cover: one short line for the model, every kind of gap once per session.

import { grouped } from "../../lib/grouped.js";
import type { Gap, Uncovered } from "./keep.js";

const maxNames = 3;

const reasons: Record<Gap, string> = {
  tree: "ignored, many entries",
  ignored: "ignored, large",
  large: "large",
  session: "the session's limit of kept bytes is reached",
  unreadable: "unreadable",
  special: "no regular file",
  count: "more files than are looked at",
  name: "the name is not UTF-8",
  store: "could not be kept",
};

/** `lost`: changed, moved or deleted by this command, and not kept before. "" = nothing to say. */
export function describeGaps(
  gaps: readonly Uncovered[],
  lost: readonly string[],
  shown: (path: string) => string,
): string {
  const kinds = [...new Set(gaps.map(({ gap }) => gap))].map((gap) => {
    const ofKind = gaps.filter((each) => each.gap === gap);
    const named = ofKind.filter(({ path }) => path !== "");
    const paths = [...new Set(named.map(({ path, size }) => shown(path) + sizeText(size)))];
    const text = ofKind.find((each) => each.text !== undefined)?.text;
    return `${listed(paths)} (${text ?? reasons[gap]})`.trim();
  });
  const lines = kinds.length > 0 ? [`[undo does not cover: ${kinds.join("; ")}]`] : [];
  if (lost.length > 0) lines.push(`[changed, and undo cannot bring it back: ${listed(lost)}]`);
  return lines.join("\n");
}

export function listed(paths: readonly string[]): string {
  const more = paths.length - maxNames;
  return `${paths.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${grouped(more)} more` : ""}`;
}

function sizeText(size: number | undefined): string {
  return size === undefined ? "" : ` ${Math.ceil(size / (1024 * 1024))} MB`;
}
