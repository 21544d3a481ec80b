// The flags of `cinch build`, beside those that all subcommands share. Those of a run mean the same here.

import { type Flag, jsonFlag, runFlags } from "../flags.js";

const on = { is: "switch" } as const;

const own: readonly Flag[] = [
  { name: "formation", kind: { is: "text" }, hint: "<name>", doc: "The team; default: what fits is found out" },
  { name: "plan", kind: { is: "path" }, hint: "<file>", doc: "Carry out this plan instead of having one made" },
  { name: "resume", kind: { is: "text" }, hint: "<id>", doc: "Go on with this build; what is done stays done" },
  { name: "yes", kind: on, doc: "Build without asking" },
  { name: "no-verify", kind: on, doc: "No checks at the end" },
  { name: "no-review", kind: on, doc: "No reviewer at the end" },
  { name: "no-preview", kind: on, doc: "Nothing is left running, or shown" },
  { name: "detach", kind: on, doc: "The preview goes on when Cinch has ended" },
];

const shared =
  "permission-mode tools allow deny allowedTools disallowedTools max-cost max-turns max-tool-calls max-tokens max-time trust".split(
    " ",
  );

export const buildFlags: readonly Flag[] = [...own, ...runFlags.filter(({ name }) => shared.includes(name)), jsonFlag];

const inSession = "formation plan yes no-verify no-review no-preview detach max-cost".split(" ");

/** Those that `/build` takes; the others were said when its session was opened. */
export const slashBuildFlags: readonly Flag[] = buildFlags.filter(({ name }) => inSession.includes(name));
