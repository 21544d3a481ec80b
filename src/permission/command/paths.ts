// Words as paths: where they lead from every directory the command may be in, and what is wrong with that.

import { asks, danger, type Finding, strictest } from "./finding.js";
import type { Ground } from "./ground.js";
import { isEndless, isSecretName, readAlarm, type Spot, writeAlarm } from "./places.js";
import type { Word } from "./script.js";

/** The directories a command may run in; null = unknown. */
export type Bases = readonly string[] | null;

/** What becomes of a path that is written: it gets a content, it goes, or all below it changes as well. */
export type Reach = "content" | "delete" | "tree";

export interface WordsAround {
  /** What is wrong with a program that gets this word, whatever it does with it. */
  wordAlarm(word: Word): Finding | null;
  readFinding(word: Word, options?: { whole?: boolean; tree?: boolean }): Finding | null;
  writeFinding(word: Word, reach?: Reach): Finding | null;
}

export interface Surroundings extends WordsAround {
  ground: Ground;
  bases: Bases;
  assigned: ReadonlySet<string>;
}

/** `touched` hears of every path that a word is, or may be. */
export function wordsAround(ground: Ground, bases: Bases, touched: (path: string) => void): WordsAround {
  const telling = (isPath: (text: string, spot: Spot) => boolean): Ground => ({
    ...ground,
    spot(base, text) {
      const spot = ground.spot(base, text);
      if (isPath(text, spot)) touched(spot.path);
      return spot;
    },
  });
  // Of a word that is not known to be a path, a plain name may be anything: `npm run build` beside a directory `build`.
  const guessing = telling((text, { isFile }) => isFile || text.includes("/"));
  const knowing = telling(() => true);
  return {
    wordAlarm: (word) => wordAlarm(guessing, bases, word),
    readFinding: (word, options = {}) => readFinding(knowing, bases, word, options),
    writeFinding: (word, reach = "content") => writeFinding(knowing, bases, word, reach),
  };
}

/** The text of a word as a path, a leading `~` replaced; null when it is not known. */
function pathText({ text, literal, dynamic }: Word, home: string): string | null {
  if (literal) return text;
  const onlyTilde = dynamic.every(({ kind }) => kind === "tilde");
  return onlyTilde && /^~(\/|$)/.test(text) && !/["'\\]/.test(text) ? `${home}${text.slice(1)}` : null;
}

function spots(ground: Ground, bases: Bases, text: string): Spot[] | null {
  const from = text.startsWith("/") ? ["/"] : bases;
  if (from === null) return null;
  return from.map((base) => ground.spot(base, text));
}

function wordAlarm(ground: Ground, bases: Bases, word: Word): Finding | null {
  const text = pathText(word, ground.home);
  if (text === null) {
    if (/\/proc\//.test(word.text))
      return danger("path:process", "It shows the memory, environment or files of a process.");
    const pieces = word.text.replace(/~(?=\/)/g, ground.home).split(/[{},=@:$"'()`\s]+/);
    return strictest(pieces.map((piece) => alarmOf(ground, bases, piece)).filter((found) => found !== null)) ?? null;
  }
  const candidates = new Set([text, ...[...text.matchAll(/[@=:,]/g)].map(({ index }) => text.slice(index + 1))]);
  return (
    strictest([...candidates].map((each) => alarmOf(ground, bases, each)).filter((found) => found !== null)) ?? null
  );
}

/** Only what looks like a path is looked up. */
function alarmOf(ground: Ground, bases: Bases, text: string): Finding | null {
  if (text === "" || text.length > 4096 || /[\n\0]/.test(text) || /\w:\/\//.test(text)) return null;
  const expanded = text.startsWith("~/") ? `${ground.home}${text.slice(1)}` : text;
  const found = spots(ground, bases, expanded);
  if (found === null) {
    return isSecretName(expanded.slice(expanded.lastIndexOf("/") + 1))
      ? danger("path:secret", `${text} can hold secrets.`)
      : null;
  }
  for (const spot of found) {
    const alarm = readAlarm(spot) ?? readAlarm({ ...spot, path: expanded });
    if (alarm) return danger(alarm.rule, alarm.why);
  }
  return null;
}

function readFinding(
  ground: Ground,
  bases: Bases,
  word: Word,
  { whole = false, tree = false }: { whole?: boolean; tree?: boolean },
): Finding | null {
  const text = pathText(word, ground.home);
  if (text === null) return null;
  if (text === "-") return null;
  const found = spots(ground, bases, text);
  if (!found) return asks("path:unknown", "Where it leads is not known.");
  return (
    strictest(found.map((spot) => readSpot(ground, spot, text, whole, tree)).filter((each) => each !== null)) ?? null
  );
}

function readSpot(ground: Ground, spot: Spot, text: string, whole: boolean, tree: boolean): Finding | null {
  const alarm = readAlarm(spot);
  if (alarm) return danger(alarm.rule, alarm.why);
  if (isEndless(spot.path))
    return whole
      ? danger("path:endless", `${spot.path} never ends.`)
      : asks("path:outside", `${spot.path} is a device.`);
  if (!spot.inside) return asks("path:outside", `${text} is outside of the project.`);
  if (!tree || !spot.isDirectory) return null;
  const secrets = ground.holdsSecrets(spot.path);
  if (secrets === false) return null;
  return asks(
    "path:secret-below",
    secrets
      ? `Below ${text} is a file that can hold secrets.`
      : `There is too much below ${text} to know that no secret is in it.`,
  );
}

function writeFinding(ground: Ground, bases: Bases, word: Word, reach: Reach): Finding | null {
  const text = pathText(word, ground.home);
  if (text === null) return null;
  const found = spots(ground, bases, text);
  if (!found) return asks("path:unknown", "Where it writes is not known.");
  return strictest(found.map((spot) => writeSpot(ground, spot, text, reach)).filter((each) => each !== null)) ?? null;
}

function writeSpot(ground: Ground, spot: Spot, text: string, reach: Reach): Finding | null {
  const alarm = writeAlarm(spot, ground.home);
  if (alarm) return danger(alarm.rule, alarm.why);
  const { path } = spot;
  const isMore = path === "/" || ground.root.startsWith(`${path}/`) || path === ground.home || spot.holdsOwn;
  if (reach !== "content" && (isMore || (reach === "delete" && ground.root === path))) {
    return danger("path:whole", `${text} is the whole project, or more.`);
  }
  if (reach === "delete" && !spot.inside && !/^\/(tmp|var\/tmp)\/./.test(path))
    return danger("path:outside", `${text} is outside of the project.`);
  return spot.inside ? null : asks("path:outside", `${text} is outside of the project.`);
}
