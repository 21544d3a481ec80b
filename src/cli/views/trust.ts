// What of a project is trusted, as text for a person; control characters in it are shown as their codes. Pure.

import type { TrustStatus } from "../../index.js";
import { showControls } from "../../lib/safe-text.js";

type Resource = TrustStatus["resources"][number];

export function trustView(status: TrustStatus): string {
  const { root, trusted, since, problems, instructions, resources, not_loaded } = status;
  const head = trusted ? `${root} is trusted, since ${since?.slice(0, 10)}.` : `${root} is not trusted.`;
  const speaks = trusted ? "Speaks to the model" : "Would speak to the model";
  const nothing = instructions.length === 0 && resources.length === 0;
  const text = [
    head,
    ...problems,
    ...(nothing ? ["There is nothing in it that trust is about."] : []),
    ...(instructions.length > 0 ? [`${speaks}: ${instructions.join(", ")}`] : []),
    ...(resources.length > 0 ? ["Runs, or lets something run:", ...resources.flatMap(resourceLines)] : []),
    ...(not_loaded.length > 0 ? ["Found, and not loaded by this version, trusted or not:"] : []),
    ...not_loaded.map(({ path, what }) => `  ${path} (${what})`),
  ].join("\n");
  return showControls(text);
}

function resourceLines(resource: Resource): string[] {
  const { state, kind, name, source, program, files, not_covered, scripts, refused, diff } = resource;
  const covered = [...(program === null ? [] : [`program ${program}`]), ...files];
  return [
    `  ${(refused === null ? state : "refused").padEnd(9)} ${kind} ${name}   (${source})`,
    ...(refused === null ? [] : [`${inset}never run: ${refused}`]),
    ...scripts.map((script) => `${inset}runs ${script}`),
    ...(covered.length > 0 ? [`${inset}covered: ${covered.join(", ")}`] : []),
    ...(not_covered.length > 0 ? [`${inset}not covered: ${not_covered.join("; ")}`] : []),
    ...(diff === "" ? [] : diff.split("\n").map((line) => `${inset}${line}`)),
  ];
}

const inset = " ".repeat(12);

/** What a yes would change, in a clause; null when it would change nothing. */
export function pending({ trusted, resources }: TrustStatus): string | null {
  const open = resources.filter(({ state, refused }) => state !== "approved" && refused === null).length;
  if (!trusted) return open === 0 ? "Trust this project?" : `Trust this project and let ${these(open)} run?`;
  return open === 0 ? null : `Let ${these(open)} run?`;
}

function these(count: number): string {
  return count === 1 ? "this one" : `these ${count}`;
}
