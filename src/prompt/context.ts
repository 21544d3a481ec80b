// The context block: what a session knows about its surroundings, frozen for the life of a segment (SPEC 1.4).
// Invariant: the block is written once, as a `prompt` entry; whatever changes afterwards is delivered by appending
// the text of `contextChanges` as a harness message, never by editing the block.

import type { JsonObject } from "../core/json.js";

/** Facts that can change between two runs of one session. Values are shown to the model as they are. */
export interface ContextFacts {
  date: string;
  platform: string;
  cwd: string;
  root: string;
  mode: string;
  /** False when nobody can answer a permission question. */
  answerable: boolean;
  profile: string;
  /** Output limit of the model, tokens. */
  maxOutput: number;
  /** Instruction files, user level first, nearest last. */
  instructions: readonly Instruction[];
  /** Text of `--append-system-prompt`, or empty. */
  appended: string;
  /** Files that other agents are changing at the moment, or empty. */
  claims: string;
  /** What other agents of this conversation have announced, or empty. */
  announced: string;
}

export interface Instruction {
  /** As shown to the model: relative to the project root, or `~/…` for the user's own. */
  name: string;
  text: string;
}

export function contextText(facts: ContextFacts): string {
  const lines = Object.entries(sentences(facts))
    .filter(([, text]) => text !== "")
    .map(([, text]) => text);
  return lines.join("\n");
}

/** What to tell the model when `now` differs from `before`; empty when nothing does. */
export function contextChanges(before: JsonObject, now: ContextFacts): string {
  const current = sentences(now);
  const changed = Object.entries(current).filter(([key, text]) => text !== (before[key] ?? ""));
  const lines = changed.map(([key, text]) => text || gone[key as keyof Sentences]).filter((line) => line !== "");
  if (lines.length === 0) return "";
  return `Changed since the context above was written:\n${lines.join("\n")}`;
}

/** The facts as they are recorded in the `prompt` entry, to be compared later. */
export function contextRecord(facts: ContextFacts): JsonObject {
  return { ...sentences(facts) };
}

/** Rough reckoning of SPEC 2.16: one line of code is about twelve tokens. */
const tokensPerLine = 12;

/** Lines of file content that surely fit in one reply of a model with this output limit (tokens). */
export function linesPerReply(maxOutput: number): number {
  const lines = Math.floor(maxOutput / tokensPerLine);
  return lines >= 100 ? Math.floor(lines / 50) * 50 : Math.max(20, lines);
}

interface Sentences {
  date: string;
  platform: string;
  place: string;
  mode: string;
  reply: string;
  profile: string;
  instructions: string;
  appended: string;
  claims: string;
  announced: string;
}

const gone: Record<keyof Sentences, string> = {
  date: "",
  platform: "",
  place: "",
  mode: "Changes and commands no longer need an approval.",
  reply: "",
  profile: "All tools may be used again.",
  instructions: "The project's instruction files no longer apply.",
  appended: "The additional instructions no longer apply.",
  claims: "No files are being changed by other agents any more.",
  announced: "",
};

function sentences(facts: ContextFacts): Sentences {
  return {
    date: `Date: ${facts.date}`,
    platform: `Platform: ${facts.platform}`,
    place:
      facts.cwd === facts.root
        ? `Project: ${facts.root}`
        : `Project: ${facts.root}\nWorking directory: ${facts.cwd} (relative paths and commands start here)`,
    mode: modeSentence(facts),
    reply: `One reply holds about ${linesPerReply(facts.maxOutput)} lines of a file.`,
    profile: facts.profile === "full" ? "" : `Tool profile: ${facts.profile}; other tools are refused.`,
    instructions: facts.instructions.map(({ name, text }) => `\n# Instructions from ${name}\n${text}`).join("\n"),
    appended: facts.appended === "" ? "" : `\n${facts.appended}`,
    claims: facts.claims,
    announced: facts.announced,
  };
}

function modeSentence(facts: ContextFacts): string {
  if (facts.mode === "auto") return "";
  if (facts.mode === "plan")
    return "Plan mode: you and the agents you start can read, but not change files or run programs. Say what you would do.";
  const asks = facts.mode === "acceptEdits" ? "Commands" : "Changes and commands";
  return facts.answerable
    ? `${asks} are shown to the user for approval.`
    : `${asks} need an approval that nobody can give in this run: they will be denied. Answer in prose where that is enough.`;
}
