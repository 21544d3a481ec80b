// `cinch` in a terminal without a model to talk to: says where it looked, and offers to keep a key or to look for a local server.
// Invariants: nothing is asked over any network, this machine's own included, before the user has said so; a key goes from
// the terminal to the user's own store and nowhere else: not to the screen, the history, a log or an event.
// Not here: choosing among several keys; that is models/pick.ts, as for every run.

import { join } from "node:path";
import { codeOf } from "../../core/errors.js";
import { createFile } from "../../lib/atomic-file.js";
import type { Fs } from "../../lib/fs.js";
import { type LocalModel, localServers } from "../../models/discover.js";
import { keysFile, storeKey } from "../../secrets/key-store.js";
import type { Asker } from "./line-reader.js";
import { keyHolders, variableOfKey } from "./needed.js";

export interface FirstRunParts {
  ask: Asker;
  disk: Fs;
  /** The directory of the user's settings. */
  config: string;
  /** The variable whose key is missing; null: any will do. */
  wanted: string | null;
  discover(): Promise<LocalModel[]>;
}

/** `model`: the one to use, where the settings do not say it. Null: the user leaves. */
export type Found = { model?: string } | null;

export async function firstRun(parts: FirstRunParts): Promise<Found> {
  const { ask, config, wanted } = parts;
  const places = wanted === null ? keyHolders.map(({ variable }) => variable) : [wanted];
  ask.say(
    `There is no ${wanted === null ? "model yet: none is named, and no key is" : "key for this model: none is"} set.`,
  );
  ask.say(`Looked in the environment (${places.join(", ")}), your settings and ${keysFile(config)}.\n`);
  ask.say("  1  paste a key; nothing of it is shown");
  ask.say(`  2  look for a model server on this computer (${serverList()})`);
  ask.say("  3  leave\n");
  for (;;) {
    const choice = await ask.line("1, 2 or 3? ");
    if (choice === null || choice.trim() === "3") return null;
    const found =
      choice.trim() === "1" ? await keyPasted(parts) : choice.trim() === "2" ? await localTaken(parts) : null;
    if (found) return found;
  }
}

function serverList(): string {
  return localServers.map(({ name, port }) => `${name} ${port}`).join(", ");
}

/** Null: back to the choice. */
async function keyPasted({ ask, disk, config, wanted }: FirstRunParts): Promise<Found> {
  const key = (await ask.line("The key (Enter alone goes back): ", { hidden: true }))?.trim() ?? "";
  if (key === "") return null;
  if (!/^[\x21-\x7e]{16,512}$/.test(key)) {
    ask.say("That is no key: a key is one word of 16 characters or more. Nothing was kept.");
    return null;
  }
  const variable = wanted ?? variableOfKey(key) ?? (await holderAsked(ask));
  if (variable === null) return null;
  await storeKey(disk, config, variable, key);
  ask.say(
    `Kept as ${variable} in ${keysFile(config)}, which you alone can read. A variable that is set goes before it.`,
  );
  return {};
}

async function holderAsked(ask: Asker): Promise<string | null> {
  ask.say("Whose key is it?");
  for (const [at, { name }] of keyHolders.entries()) ask.say(`  ${at + 1}  ${name}`);
  const answer = await ask.line(`1 to ${keyHolders.length}? `);
  const holder = keyHolders[Number(answer?.trim()) - 1];
  if (!holder) ask.say("Nothing was kept.");
  return holder?.variable ?? null;
}

/** Null: back to the choice. */
async function localTaken({ ask, disk, config, discover }: FirstRunParts): Promise<Found> {
  const found = await discover();
  if (found.length === 0) {
    ask.say(`No server answers on ${serverList()}. Start one, then choose 2 again.`);
    return null;
  }
  for (const [at, { id, server }] of found.entries()) ask.say(`  ${at + 1}  ${id}  (${server})`);
  const answer = await ask.line(found.length === 1 ? "Take it? [1] " : `1 to ${found.length}? `);
  if (answer === null) return null;
  const chosen = found[Number(answer.trim() || 1) - 1];
  if (!chosen) return null;
  if (/^y(es)?$/i.test((await ask.line("From now on, without asking? [y/N] "))?.trim() ?? "")) {
    ask.say(await settled(disk, config, chosen.id));
  }
  return { model: chosen.id };
}

/** A settings file that is there is its user's: what to write into it is said. */
async function settled(disk: Fs, config: string, model: string): Promise<string> {
  const file = join(config, "settings.json");
  try {
    disk.mkdirSync(config, { recursive: true, mode: 0o700 });
    await createFile(disk, file, `${JSON.stringify({ model }, null, 2)}\n`, { mode: 0o600 });
    return `${file} says so now.`;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return `${file} is yours; write into it: "model": ${JSON.stringify(model)}`;
  }
}
