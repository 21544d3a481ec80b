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
  ignoreCase?: true;
}

/** The words of permissions.mode and of --permission-mode (SPEC 1.11). */
export const modeChoice: Choice = {
  values: modes,
  aliases: { default: "ask" },
  instead: {
    bypassPermissions: "there is no mode bypassPermissions; the one that runs everything without asking is auto.",
  },
};

/** The words of `permission_mode`, in any letter case. */
export const legacyModeChoice: Choice = {
  ...modeChoice,
  ignoreCase: true,
  aliases: { default: "ask", accept_edits: "acceptEdits" },
};

export type Chosen = { ok: true; value: string } | { ok: false; text: string };

/** `what` begins the sentence about a wrong word: `--permission-mode`, `permissions.mode`. */
export function choose(what: string, given: string, choice: Choice): Chosen {
  const words = [...choice.values, ...Object.keys(choice.aliases ?? {})];
  const same = choice.ignoreCase ? words.find((each) => each.toLowerCase() === given.toLowerCase()) : undefined;
  const word = same ?? given;
  if (choice.values.includes(word)) return { ok: true, value: word };
  const meant = own(choice.aliases, word);
  if (meant !== undefined) return { ok: true, value: meant };
  const sentence = own(choice.instead, word);
  if (sentence !== undefined) return { ok: false, text: `${what}: ${sentence}` };
  const valid = byLikeness(given, choice.values).join(", ");
  return { ok: false, text: `${what}: ${JSON.stringify(given)} is not one of ${valid}.` };
}

function own(record: Readonly<Record<string, string>> | undefined, word: string): string | undefined {
  return record && Object.hasOwn(record, word) ? record[word] : undefined;
}
