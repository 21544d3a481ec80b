// Words as paths: where they lead from every directory the command may be in, and what is wrong with that.

import { posix } from "node:path";
import { asks, danger, type Finding, opaque, strictest } from "./finding.js";
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
  readFinding(word: Word, options?: { whole?: boolean; tree?: boolean; follow?: boolean }): Finding | null;
  writeFinding(word: Word, reach?: Reach): Finding | null;
  /** The same for a word that only may hold a path: `-o../x`, `--prefix=/opt`, `~/notes`. */
  outputFinding(word: Word): Finding | null;
  /** A program that changes its working directory's files runs here. */
  placeFinding(): Finding | null;
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
      if (isPath(text, spot)) for (const path of [spot.path, ...(spot.names ?? [])]) touched(path);
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
    outputFinding: (word) => outputFinding(guessing, bases, word),
    placeFinding: () => placeFinding(ground, bases),
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
  { whole = false, tree = false, follow = false }: { whole?: boolean; tree?: boolean; follow?: boolean },
): Finding | null {
  const text = pathText(word, ground.home);
  if (text === null) return null;
  if (text === "-") return null;
  const found = spots(ground, bases, text);
  if (!found) return asks("path:unknown", "Where it leads is not known.");
  return (
    strictest(
      found.map((spot) => readSpot(ground, spot, text, { whole, tree, follow })).filter((each) => each !== null),
    ) ?? null
  );
}

function readSpot(
  ground: Ground,
  spot: Spot,
  text: string,
  { whole, tree, follow }: { whole: boolean; tree: boolean; follow: boolean },
): Finding | null {
  const alarm = readAlarm(spot);
  if (alarm) return danger(alarm.rule, alarm.why);
  if (isEndless(spot.path))
    return whole
      ? danger("path:endless", `${spot.path} never ends.`)
      : asks("path:outside", `${spot.path} is a device.`);
  if (!spot.inside) return asks("path:outside", `${text} is outside of the project.`);
  if (!tree || !spot.isDirectory) return null;
  const secrets = ground.holdsSecrets(spot.path, follow);
  if (secrets === false) return null;
  return asks(
    "path:secret-below",
    secrets
      ? `Below ${text} is a file that can hold secrets.`
      : `There is too much below ${text} to know that no secret is in it.`,
  );
}

function writeFinding(ground: Ground, bases: Bases, word: Word, reach: Reach): Finding | null {
  if (word.literal && isStandard.test(word.text)) return asks("path:device", `${word.text} is no file.`);
  const text = pathText(word, ground.home) ?? fixedPart(word, ground.home);
  if (text === null)
    return mayLeave(word)
      ? danger("path:outside", `${word.text} leads out of the project.`)
      : opaque("path:unknown", "What it changes is not known.");
  const found = spots(ground, bases, text);
  if (!found) return opaque("path:unknown", "Where it writes is not known.");
  const isWhole = word.literal || text === word.text;
  const findings = found.map((spot) => writeSpot(ground, spot, text, isWhole ? reach : "content"));
  return strictest(findings.filter((each) => each !== null)) ?? null;
}

/** Braces, one of which climbs or begins at the root. */
function mayLeave({ text, dynamic }: Word): boolean {
  return (
    dynamic.every(({ kind }) => kind === "braces" || kind === "glob") && /(^|[/{,])\.\.(\/|[,}]|$)|[{,][/~]/.test(text)
  );
}

/** The directory that everything a pattern stands for lies in; null when there is no telling. */
function fixedPart({ text, dynamic }: Word, home: string): string | null {
  if (!dynamic.every(({ kind }) => kind === "glob" || kind === "braces" || kind === "tilde")) return null;
  const plain = text.replace(/["'\\]/g, "");
  if (/^~(?!\/|$)/.test(plain)) return null;
  const [, fixed = "", open = ""] = /^([^*?[{!@+(]*)(.*)$/s.exec(plain.replace(/^~(?=\/|$)/, home)) ?? [];
  if (/(^|[/{,])\.\.|[{,][/~]/.test(open)) return null;
  const directory = fixed.slice(0, fixed.lastIndexOf("/") + 1);
  return directory === "" ? "." : directory;
}

/** Only what is certain: a word that is no path at all must not count. */
function outputFinding(ground: Ground, bases: Bases, word: Word): Finding | null {
  const findings = pathsIn(word.text).map((value) => {
    const text = value.replace(/^~(?=\/|$)/, ground.home);
    return writeFinding(ground, bases, { ...word, text }, "content");
  });
  return strictest(findings.filter((each) => each?.reason === "danger") as Finding[]) ?? null;
}

/** What of a word could be a path that leaves the directory: all of it, a flag's value, what follows a letter. */
function pathsIn(text: string): string[] {
  if (text.length > 4096 || /[\n\0]/.test(text) || /^[\w.+@-]*:\/\//.test(text)) return [];
  const flag = /^-{1,2}[\w-]*=?/.exec(text)?.[0] ?? /^[\w-]+=/.exec(text)?.[0] ?? "";
  const values = flag === "" ? [text] : [text.slice(flag.length), ...(/^-\w/.test(text) ? [text.slice(2)] : [])];
  return values.filter((value) => value.includes("/") || value === ".." || value.startsWith("~"));
}

function placeFinding(ground: Ground, bases: Bases): Finding | null {
  if (bases === null) return opaque("path:unknown", "Which directory it runs in is not known.");
  const outside = bases.find((base) => !ground.spot(base, ".").inside);
  return outside === undefined ? null : danger("path:outside", `It runs in ${outside}, outside of the project.`);
}

function writeSpot(ground: Ground, spot: Spot, text: string, reach: Reach): Finding | null {
  const alarm = writeAlarm(spot, ground.home);
  if (alarm) return danger(alarm.rule, alarm.why);
  const { path } = spot;
  const isMore = path === "/" || ground.root.startsWith(`${path}/`) || path === ground.home || spot.holdsOwn;
  if (reach !== "content" && (isMore || (reach === "delete" && ground.root === path))) {
    return danger("path:whole", `${text} is the whole project, or more.`);
  }
  if (spot.inside) return null;
  if (isStandard.test(path)) return asks("path:device", `${text} is no file.`);
  if (!isTemporary(ground, path, text)) return danger("path:outside", `${text} is outside of the project.`);
  // A new name in there takes nothing away from anybody.
  const isNew = !spot.isFile && !spot.isDirectory;
  return isNew && /^\/(var\/)?tmp\/[^/]+$/.test(path)
    ? asks("path:outside", `${text} is outside of the project.`)
    : danger("path:temporary", `${text} is outside of the project, and something may be there already.`);
}

const isStandard = /^\/dev\/(null|stdout|stderr|fd\/\d+)$/;

/** Written out as a path in /tmp, where neither the project nor the home directory is: a sandbox has a /tmp of its own. */
function isTemporary({ root, home }: Ground, path: string, text: string): boolean {
  const top = /^\/(?:var\/)?tmp\/[^/]+/.exec(path)?.[0];
  if (top === undefined || !/^\/(var\/)?tmp\//.test(posix.normalize(text))) return false;
  return ![root, home].some((kept) => kept === top || kept.startsWith(`${top}/`));
}
