// The subcommands, by name. Each is one file of this folder, loaded when it is called.
// Invariant: a word that CONTRACT names and this version lacks is here too, so that it is refused and not taken for a prompt.

import type { Values } from "../args.js";
import type { Flag } from "../flags.js";

export interface Command {
  /** Beside the flags that all subcommands share. */
  flags: readonly Flag[];
  /** What it takes beside flags; without it, nothing. */
  words?: { max: number; hint: string };
  /** It shows what is wrong with settings. All others end with exit 2 before they begin, as a run does (SPEC 1.16). */
  showsSettings?: true;
  /** Resolves to the exit code; throws UserError. */
  run(values: Values, words: readonly string[]): Promise<number>;
}

export interface CommandEntry {
  name: string;
  doc: string;
  /** Gets its arguments unread. */
  raw?: (args: string[]) => Promise<number>;
  load?: () => Promise<Command>;
}

export const commands: readonly CommandEntry[] = [
  {
    name: "models",
    doc: "Providers and their keys, the model that would be used, known models",
    load: async () => (await import("./models.js")).default,
  },
  {
    name: "config",
    doc: "--explain: every setting, its value and where it comes from",
    load: async () => (await import("./config.js")).default,
  },
  {
    name: "undo",
    doc: "Take back what the last run, or a part of one, did to files",
    load: async () => (await import("./undo.js")).default,
  },
  {
    name: "why",
    doc: "<file>:<line>: which call made a line, and what it replaced",
    load: async () => (await import("./why.js")).default,
  },
  {
    name: "export",
    doc: "<session>: a session as JSONL, Markdown or one HTML page",
    load: async () => (await import("./export.js")).default,
  },
  {
    name: "import",
    doc: "<file>: a session of Claude Code, Codex, pi, opencode or Cinch, to go on with",
    load: async () => (await import("./import.js")).default,
  },
  {
    name: "sessions",
    doc: "list, show [<id>], verify [<id>], delete <id>: the session files there are",
    load: async () => (await import("./sessions.js")).default,
  },
  {
    name: "attach",
    doc: "[<session>]: follows a session that another process holds, and says something in it",
    load: async () => (await import("./attach.js")).default,
  },
  {
    name: "permissions",
    doc: 'list, revoke <rule>, try <rule>, explain "<command>": what runs unasked, and why',
    load: async () => (await import("./permissions.js")).default,
  },
  {
    name: "trust",
    doc: "status, project, revoke: what of this project may speak and run",
    load: async () => (await import("./trust.js")).default,
  },
  {
    name: "tree",
    doc: "[<session>]: its branches; label <entry> <text> names an entry",
    load: async () => (await import("./tree.js")).default,
  },
  {
    name: "fork",
    doc: "<entry> [<name>]: go on behind an entry, or copy the path to it to a new session",
    load: async () => (await import("./fork.js")).default,
  },
  {
    name: "tasks",
    doc: "list, show <id>, output <id> [--follow], cancel <id>, resume <id>: work beside conversations",
    load: async () => (await import("./tasks.js")).default,
  },
  {
    name: "build",
    doc: '[<spec.md> | "<what>"]: a plan, and a team that carries it out, checked and reviewed',
    load: async () => (await import("./build.js")).default,
  },
  {
    name: "formations",
    doc: "list, show <name>, validate [<file>]: the teams that build, and whether they hold",
    load: async () => (await import("./formations.js")).default,
  },
  {
    name: "lsp",
    doc: "status: which language server serves what here, and why not",
    load: async () => (await import("./lsp.js")).default,
  },
  {
    name: "doctor",
    doc: "Checks settings, sessions, kept contents and programs, and says how to mend what is wrong",
    load: async () => (await import("./doctor.js")).default,
  },
  {
    name: "init",
    doc: "Writes an AGENTS.md from what is found here; lists settings of other tools",
    load: async () => (await import("./init.js")).default,
  },
  {
    name: "completion",
    doc: "bash, zsh, fish: a script that completes commands and flags",
    load: async () => (await import("./completion.js")).default,
  },
  {
    name: "bench",
    doc: "The benchmark of docs/performance.md",
    raw: async (args) => (await import("../../bench/index.js")).runBench(args),
  },
];

export const laterCommands: readonly string[] = [..."replay".split(" "), ..."acp view worker".split(" ")];
