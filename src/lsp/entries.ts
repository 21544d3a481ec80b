// The entries of an lsp.json: `{"<name>": {"command": ["…"], "extensions": [".ts"], "languageId"?, "settings"?,
// "initializationOptions"?}}`. Pure.
// Invariant: an entry that cannot be used is a problem of its own and takes no other with it.

import type { Json } from "../core/json.js";
import { isObject } from "../lib/json.js";
import type { KnownServer } from "./known-servers.js";

export interface ServerEntry {
  name: string;
  command: readonly [string, ...string[]];
  languages: Readonly<Record<string, string>>;
  settings?: Json;
  initializationOptions?: Json;
}

const keys = ["command", "extensions", "languageId", "settings", "initializationOptions"];

/** `known`: gives language ids to extensions that an entry names without one. */
export function readEntries(
  file: string,
  value: Json | undefined,
  known: readonly KnownServer[],
): { entries: ServerEntry[]; problems: string[] } {
  if (!isObject(value)) return { entries: [], problems: [`${file} must be an object of servers by name.`] };
  const entries: ServerEntry[] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(value)) {
    if (name === "$schema") continue;
    const read = readEntry(name, entry, known);
    if (typeof read === "string") problems.push(`${file}: ${JSON.stringify(name)} is left out: ${read}.`);
    else entries.push(read);
  }
  return { entries, problems };
}

function readEntry(name: string, entry: Json | undefined, known: readonly KnownServer[]): ServerEntry | string {
  if (!isObject(entry)) return "it must be an object";
  const odd = Object.keys(entry).find((key) => !keys.includes(key));
  if (odd !== undefined) return `${JSON.stringify(odd)} is unknown; valid: ${keys.join(", ")}`;
  const { command, extensions, languageId, settings, initializationOptions } = entry;
  const [program, ...args] = Array.isArray(command) ? command : [];
  if (typeof program !== "string" || program === "" || !args.every(isText))
    return "command must be a list of strings that begins with a program";
  if (!Array.isArray(extensions) || extensions.length === 0 || !extensions.every(isExtension))
    return 'extensions must be a list such as [".ts"]';
  if (languageId !== undefined && !isText(languageId)) return "languageId must be a string";
  const idOf = (extension: string) => {
    if (typeof languageId === "string") return languageId;
    return known.find(({ languages }) => languages[extension])?.languages[extension] ?? extension.slice(1);
  };
  const lower = (extensions as string[]).map((extension) => extension.toLowerCase());
  return {
    name,
    command: [program, ...(args as string[])],
    languages: Object.fromEntries(lower.map((extension) => [extension, idOf(extension)])),
    ...(settings === undefined ? {} : { settings }),
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
  };
}

function isText(value: Json | undefined): value is string {
  return typeof value === "string" && !value.includes("\0");
}

function isExtension(value: Json | undefined): boolean {
  return isText(value) && /^\.[^./\\]+$/.test(value);
}
