// One word out of a closed list: for flags and settings alike, so that both say the same about a wrong one.
// Invariant: a word that is not in the list is refused; there is no fallback, least of all to something looser.

import { modes } from "../core/policy.js";
import { byLikeness } from "../lib/nearest.js";

export interface Choice {
  values: readonly string[];
  /** Other spellings and what they mean. */
  aliases?: Readonly<Record<string, string>>;
  /** Words that get a sentence of their own instead of "is not one of". */
  instead?: Readonly<Record<string, string>>;
}

/** The words of permissions.mode and of --permission-mode (SPEC 1.11). */
export const modeChoice: Choice = {
  values: modes,
  aliases: { default: "ask" },
  instead: {
    plan: "the mode plan is not in this version; ask, acceptEdits and auto are. The tool profile readonly changes nothing either.",
    bypassPermissions: "there is no mode bypassPermissions; the one that runs everything without asking is auto.",
  },
};

export type Chosen = { ok: true; value: string } | { ok: false; text: string };

/** `what` begins the sentence about a wrong word: `--permission-mode`, `permissions.mode`. */
export function choose(what: string, word: string, choice: Choice): Chosen {
  if (choice.values.includes(word)) return { ok: true, value: word };
  const meant = own(choice.aliases, word);
  if (meant !== undefined) return { ok: true, value: meant };
  const sentence = own(choice.instead, word);
  if (sentence !== undefined) return { ok: false, text: `${what}: ${sentence}` };
  const valid = byLikeness(word, choice.values).join(", ");
  return { ok: false, text: `${what}: ${JSON.stringify(word)} is not one of ${valid}.` };
}

function own(record: Readonly<Record<string, string>> | undefined, word: string): string | undefined {
  return record && Object.hasOwn(record, word) ? record[word] : undefined;
}
