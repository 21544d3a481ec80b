// Keys of the user that Cinch keeps, one for each variable they stand for: keys.json beside the settings, {"ANTHROPIC_API_KEY": "…"}.
// Invariants: only its owner can read the file, or none of it counts; a key is known to the redactor before anybody gets it.
// Deliberately no encryption: whoever can read this file as its owner could read a passphrase there as well.

import { join } from "node:path";
import { UserError } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { changeKept, readKept } from "../lib/kept-file.js";
import { knownSecrets } from "./known.js";

export interface StoredKeys {
  /** By variable. */
  keys: Readonly<Record<string, string>>;
  /** Why a file that is there does not count. */
  fault?: string;
}

const none: StoredKeys = { keys: {} };

/** `config`: the directory of the user's settings. Never throws. */
export function storedKeys(disk: Fs, config: string): StoredKeys {
  const path = keysFile(config);
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return none;
  if ((Number(stat.mode) & 0o077) !== 0)
    return { ...none, fault: `${path} is ignored: others may read it (chmod 600 mends that).` };
  const { text, fault } = readKept(disk, path);
  if (fault !== undefined) return { ...none, fault };
  const keys = keysIn(text);
  if (!keys) return { ...none, fault: `${path} is ignored: it is not a JSON object of strings.` };
  for (const [name, key] of Object.entries(keys)) knownSecrets.learn(name, key);
  return { keys };
}

/** Keeps the key, in place of another for this variable. @throws UserError, with nothing changed */
export async function storeKey(disk: Fs, config: string, variable: string, key: string): Promise<void> {
  const path = keysFile(config);
  knownSecrets.learn(variable, key);
  const { fault } = storedKeys(disk, config);
  if (fault !== undefined)
    throw new UserError(`${fault} Nothing was kept.`, "Mend or remove the file, then try again.", 1);
  await changeKept(disk, path, (text) => `${JSON.stringify({ ...keysIn(text), [variable]: key }, null, 2)}\n`);
}

export function keysFile(config: string): string {
  return join(config, "keys.json");
}

/** Null for what is no object of strings. */
function keysIn(text: string): Record<string, string> | null {
  if (text.trim() === "") return {};
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const pairs = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return pairs.length === Object.keys(value).length ? Object.fromEntries(pairs) : null;
}
