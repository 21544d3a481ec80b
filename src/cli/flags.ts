// Every flag there is, in one table: parsing, --help and docs/cli.md go by it.
// Invariant: a flag that CONTRACT names and this version lacks is here as `later`, so that it is refused and not ignored.

import { type Choice, modeChoice } from "../config/choice.js";
import { profiles } from "../core/policy.js";

/** How a flag's value is written. `prompt` takes the next argument whatever it looks like, or none at the very end. */
export type FlagKind =
  | { is: "switch" }
  | { is: "prompt" }
  | { is: "text" | "path" }
  | { is: "count" | "amount" }
  | ({ is: "choice" } & Choice);

export interface Flag {
  name: string;
  short?: string;
  kind: FlagKind;
  /** What stands for the value in --help. */
  hint?: string;
  repeat?: true;
  doc: string;
  /** Not in this version. */
  later?: true;
}

const on: FlagKind = { is: "switch" };
const text: FlagKind = { is: "text" };
const path: FlagKind = { is: "path" };
const count: FlagKind = { is: "count" };
const amount: FlagKind = { is: "amount" };
const choice = (...values: string[]): FlagKind => ({ is: "choice", values });

export const outputFormats = ["text", "json", "stream-json", "events"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Understood by every subcommand as well. */
export const sharedFlags: readonly Flag[] = [
  {
    name: "model",
    short: "m",
    kind: text,
    hint: "<provider/model>",
    doc: "Model to use, or scripted/<file>, cassette/<file>",
  },
  { name: "cwd", kind: path, hint: "<dir>", doc: "Work in this directory" },
  { name: "settings", kind: path, hint: "<file>", doc: "Further settings, over those of the user" },
  { name: "verbose", kind: on, doc: "More on stderr: calls as they happen, stacks of bugs" },
  { name: "no-color", kind: on, doc: "No colours (also: NO_COLOR)" },
  { name: "help", short: "h", kind: on, doc: "This text" },
];

export const runFlags: readonly Flag[] = [
  {
    name: "print",
    short: "p",
    kind: { is: "prompt" },
    hint: "<prompt>",
    doc: "Headless: run to the end and print the answer; piped stdin is appended",
  },
  {
    name: "output-format",
    kind: choice(...outputFormats),
    hint: outputFormats.join("|"),
    doc: "What is printed on stdout; default text",
  },
  {
    name: "input-format",
    kind: choice("text", "stream-json"),
    hint: "text|stream-json",
    doc: "stream-json: control lines on stdin",
  },
  { name: "continue", short: "c", kind: on, doc: "Resume the session of this project that you last worked in" },
  { name: "resume", short: "r", kind: text, hint: "<id>", doc: "Go on with this session: id, unique prefix or label" },
  {
    name: "fork",
    kind: text,
    hint: "<entry>",
    doc: "Branch at this entry first, of the session of -c or -r: id, unique prefix or label",
  },
  {
    name: "permission-mode",
    kind: { is: "choice", ...modeChoice },
    hint: modeChoice.values.join("|"),
    doc: "What runs without asking; default ask",
  },
  {
    name: "allow",
    kind: text,
    hint: "<rule>",
    repeat: true,
    doc: "Run this without asking, like Edit(src/**) or 'Bash(npm test)'; repeatable",
  },
  { name: "deny", kind: text, hint: "<rule>", repeat: true, doc: "Never run this; repeatable" },
  { name: "allowedTools", kind: text, hint: "<rules>", repeat: true, doc: "--allow for several, with commas between" },
  { name: "disallowedTools", kind: text, hint: "<rules>", repeat: true, doc: "--deny for several" },
  { name: "tools", kind: choice(...profiles), hint: profiles.join("|"), doc: "Which tools there are; default full" },
  { name: "max-turns", kind: count, hint: "<n>", doc: "End the run after this many model requests (exit 6)" },
  { name: "max-tool-calls", kind: count, hint: "<n>", doc: "… tool calls" },
  { name: "max-tokens", kind: count, hint: "<n>", doc: "… tokens, sent, cached and received" },
  { name: "max-cost", kind: amount, hint: "<usd>", doc: "… US dollars; needs a known price" },
  { name: "max-time", kind: amount, hint: "<seconds>", doc: "… seconds" },
  { name: "trust", kind: on, doc: "Trust this project for this run only" },
  {
    name: "add-dir",
    kind: path,
    hint: "<dir>",
    repeat: true,
    doc: "A further directory that file tools may use; repeatable",
  },
  { name: "append-system-prompt", kind: text, hint: "<text>", doc: "Further instructions for the model" },
  { name: "json-schema", kind: path, hint: "<file>", doc: "The final answer must be JSON that fits this schema" },
  { name: "record", kind: path, hint: "<file>", doc: "Write every model exchange to a cassette" },
  { name: "replay-speed", kind: choice("0", "1"), hint: "0|1", doc: "A cassette plays at once (0) or as recorded (1)" },
  ...sharedFlags,
  { name: "version", kind: on, doc: "Print the version" },
  { name: "mcp-config", kind: path, doc: "", later: true },
];

/** What subcommands share beside `sharedFlags`. */
export const jsonFlag: Flag = { name: "json", kind: on, doc: "Print JSON and nothing else on stdout" };
