// The slash commands by name; each is loaded when it is called. A new one is a file of this folder and a row here.
// Invariant: only a first word that is exactly a known name makes a command; "/etc/hosts is broken" is a prompt.

import { nearest } from "../../lib/nearest.js";
import type { Slash, SlashContext } from "./slash.js";

export const slashCommands: Readonly<Record<string, () => Promise<Slash>>> = {
  agents: async () => (await import("./agents.js")).default,
  build: async () => (await import("./build.js")).default,
  clear: async () => (await import("./clear.js")).default,
  compact: async () => (await import("./compact.js")).default,
  config: async () => (await import("./config.js")).default,
  context: async () => (await import("./context.js")).default,
  cost: async () => (await import("./cost.js")).default,
  doctor: async () => (await import("./doctor.js")).default,
  export: async () => (await import("./export.js")).default,
  fork: async () => (await import("./fork.js")).default,
  formation: async () => (await import("./formation.js")).default,
  help: async () => (await import("./help.js")).default,
  hooks: async () => (await import("./hooks.js")).default,
  init: async () => (await import("./init.js")).default,
  loop: async () => (await import("./loop.js")).default,
  lsp: async () => (await import("./lsp.js")).default,
  mode: async () => (await import("./mode.js")).default,
  model: async () => (await import("./model.js")).default,
  permissions: async () => (await import("./permissions.js")).default,
  preview: async () => (await import("./preview.js")).default,
  queue: async () => (await import("./queue.js")).default,
  quit: async () => (await import("./quit.js")).default,
  resume: async () => (await import("./resume.js")).default,
  rewind: async () => (await import("./rewind.js")).default,
  sessions: async () => (await import("./sessions.js")).default,
  skills: async () => (await import("./skills.js")).default,
  tasks: async () => (await import("./tasks.js")).default,
  theme: async () => (await import("./theme.js")).default,
  tools: async () => (await import("./tools.js")).default,
  tree: async () => (await import("./tree.js")).default,
  trust: async () => (await import("./trust.js")).default,
  undo: async () => (await import("./undo.js")).default,
};

/** The command that a prompt calls, and what stands behind its name, as a text and in words. */
export interface CalledSlash extends Pick<SlashContext, "argument" | "words"> {
  slash: Slash;
}

/** Null for a prompt that is the model's. */
export async function findSlash(prompt: string): Promise<CalledSlash | null> {
  const [, name = "", behind = ""] = /^\s*\/([a-z][a-z-]*)(?:\s+(.*))?$/s.exec(prompt) ?? [];
  const load = Object.hasOwn(slashCommands, name) ? slashCommands[name] : undefined;
  if (!load) return null;
  const argument = behind.trim();
  return { slash: await load(), argument, words: wordsOf(argument) };
}

/** What a prompt says that begins with a slip of the fingers in place of a command, and with nothing else that a path would have. */
export function nearSlash(prompt: string): string | null {
  const [, name = ""] = /^\/([a-z][a-z-]*)(?:\s|$)/i.exec(prompt) ?? [];
  const meant = name.length < shortest ? undefined : nearest(name, Object.keys(slashCommands));
  if (meant === undefined || meant === name) return null;
  return `There is no /${name}; /${meant}? To send it as it is, begin with a space.`;
}

/** Two letters are near to too much. */
const shortest = 3;

/** What stands in double quotes is one word: a label may have blanks. */
function wordsOf(argument: string): string[] {
  return [...argument.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}
