// One program and its words: found in a table or not, and if so, whether these words are ones with which it only reads.
// Invariant: a program is read-only by its table alone; everything that is not in one asks.

import type { CommandPart } from "../../core/command.js";
import { type Call, commonFinding, doerOf } from "./call.js";
import { asks, danger, type Finding, opaque, readonly, strictest } from "./finding.js";
import { flagAmong, flagTable, parseFlags } from "./flags.js";
import type { Judge, Where } from "./judge.js";
import { doerFinding, outputFindings } from "./judge-doer.js";
import { judgeGit } from "./judge-git.js";
import { dangersNamed, judgeInterpreter, judgeLauncher, judgeShell, judgeWrapper } from "./judge-starter.js";
import type { Bases } from "./paths.js";
import { readers } from "./programs/index.js";
import { interpreters, launchers, shells, wrappers } from "./programs/shells.js";
import type { Given, Reader } from "./programs/spec.js";
import type { Word } from "./script.js";

/** Adds the parts; the directories later commands run in, if it changes them. */
export function judgeProgram(
  judge: Judge,
  words: readonly Word[],
  inner: readonly (readonly CommandPart[])[],
  where: Where,
): Bases | undefined {
  const [program, ...rest] = words;
  if (!program) return undefined;
  const argv = words.map(({ text }) => text);
  const exact = words.every(({ literal }) => literal);
  const around = judge.around(where);
  if (!program.literal) {
    const found = [
      opaque("program:unknown", "Which program it runs is worked out by the shell."),
      ...leaving(rest, around),
    ];
    judge.add(argv, false, strictest(found) as Finding, where);
    return undefined;
  }
  const call: Call = { name: program.text, words: rest, inner: inner.slice(1), where, around };
  if (call.name === "cd" || call.name === "pushd") return judgeChange(judge, call, argv);
  const found = judged(judge, call);
  if (found) judge.add(argv, exact, found, where, beyondReading(call.name, rest));
  return call.name === "popd" ? null : undefined;
}

/** Starters add their parts themselves. */
function judged(judge: Judge, call: Call): Finding | null {
  const { name } = call;
  if (!/^[\x21-\x7e]+$/.test(name)) return opaque("program:disguised", "Its name has letters that look like others.");
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (Object.hasOwn(wrappers, base)) return judgeWrapper(judge, base, call);
  if (tellsVersion.test(base) && isVersionQuery(call.words)) return strictest(versionFindings(judge, call)) ?? null;
  if (launchers.test(base)) return judgeLauncher(judge, call);
  if (shells.has(base)) return judgeShell(judge, call);
  if (interpreters.test(base))
    return strictest([judgeInterpreter(call), ...outputFindings(call.words, call.around), ...placeOf(call)]) ?? null;
  const given = commonFinding(call);
  if (base === "git") return strictest([judgeGit(judge, call), ...given]) ?? null;
  const reader = Object.hasOwn(readers, base) ? readers[base] : undefined;
  if (reader) return strictest([readerFinding(judge, name, reader, call), ...given]) ?? null;
  const doer = doerOf(base);
  if (doer) return strictest([doerFinding(doer, base, call), ...given]) ?? null;
  const found = [asks("program:unlisted", `${base} is not in the table of what only reads.`), ...given];
  found.push(...dangersNamed(judge, call));
  return strictest([...found, ...outputFindings(call.words, call.around), ...placeOf(call)]) ?? null;
}

/** Options by which a program that is known for reading does more. */
function beyondReading(name: string, words: readonly Word[]): string[] {
  const base = name.slice(name.lastIndexOf("/") + 1);
  if (base !== "git" && !Object.hasOwn(readers, base)) return [];
  return words.map(({ text }) => text).filter((text) => (base === "find" ? findActs : writes).test(text));
}

const findActs = /^-(fprint0?|fprintf|fls|exec|execdir|ok|okdir|delete)$/;
const writes =
  /^--o(u(t(p(u(t)?)?)?)?)?(=|$)|^-[a-z]*o|^--(in-place|ext-diff|textconv|open-files-in-pager)|^-[a-z]*i(?![a-z])|^-O\S/;

/** Where a program works that may change something. */
function placeOf({ around }: Call): Finding[] {
  return [around.placeFinding()].filter((each) => each !== null);
}

/** Words that lead out of the project. */
function leaving(words: readonly Word[], around: Call["around"]): Finding[] {
  return words.map((word) => around.outputFinding(word)).filter((each) => each !== null);
}

/** Programs that only say which they are, if the project does not choose which one that is. */
const tellsVersion =
  /^(node|npm|python[\d.]*|pip\d?|cargo|rustc|go|java|javac|gcc|g\+\+|cc|c\+\+|clang|make|cmake|tsc|perl|ruby|bash|deno|bun|uv|curl|wget|tar|gzip|zip|ssh|docker|ninja)$/;

/** By files of these names a project chooses the program behind a name, or has it loaded. */
const choosers = [
  ...[".tool-versions", "mise.toml", ".mise.toml", ".python-version", ".ruby-version", ".java-version", ".sdkmanrc"],
  ...["rust-toolchain", "rust-toolchain.toml", "go.mod", "go.work"],
];

function isVersionQuery(words: readonly Word[]): boolean {
  const [only, ...more] = words;
  return more.length === 0 && only?.literal === true && /^(--version|-V|-v|-version|version)$/.test(only.text);
}

function versionFindings(
  judge: Judge,
  { name, words, where }: Pick<Call, "name" | "words" | "where" | "around">,
): Finding[] {
  const base = name.slice(name.lastIndexOf("/") + 1);
  const rule = `program:${base}`;
  const flag = words[0]?.text ?? "";
  const isKnown = flag === "--version" || tellsVersionBy[flag]?.test(base);
  const found = [
    isKnown ? readonly(rule, `${base} says its version.`) : asks(rule, `${base} ${flag} is not in the table.`),
  ];
  if (name.includes("/")) found.push(asks("program:path", "The program is named by a path."));
  else if (judge.ground.isOfProject(name)) found.push(asks("program:project", `${name} is a program of the project.`));
  const isChosen = (base: string) => choosers.some((file) => judge.ground.spot(base, file).isFile);
  const around = where.bases?.flatMap((base) => [base, judge.ground.root]) ?? [];
  if (tellsVersion.test(base) && (where.bases === null || around.some(isChosen)))
    found.push(asks("program:chosen", "A file of the project chooses which program that is."));
  return found;
}

const tellsVersionBy: Readonly<Record<string, RegExp>> = {
  "-v": /^(node|npm|tsc|ruby|java|perl)$/,
  "-V": /^(python[\d.]*|pip\d?|cargo|rustc|ssh|curl|tar)$/,
  "-version": /^(java|javac)$/,
  version: /^(go)$/,
};

function readerFinding(judge: Judge, name: string, reader: Reader, { words, where, around }: Call): Finding {
  const base = name.slice(name.lastIndexOf("/") + 1);
  const rule = `program:${base}`;
  const runs = flagAmong(words, reader.runs);
  if (runs !== undefined) return danger(rule, `${runs} makes ${base} run a program.`);
  const given = parseFlags(words, flagTable(reader.flags, reader.style), reader.style);
  if (words.length === 1 && words[0]?.text === "--version" && !reader.builtin)
    return strictest(versionFindings(judge, { name, words, where, around })) as Finding;
  const checked = reader.check?.(given);
  if (checked && checked.verdict !== "needs-approval")
    return checked.verdict === "danger" ? danger(rule, checked.why) : opaque(rule, checked.why);
  const found: Finding[] = [readonly(rule, `${base} with these flags only reads.`)];
  if (checked) found.push(asks(rule, checked.why));
  if (name.includes("/")) found.push(asks("program:path", "The program is named by a path."));
  else if (!reader.builtin && judge.ground.isOfProject(name))
    found.push(asks("program:project", `${name} is a program of the project.`));
  if (given.unknown !== undefined)
    found.push(asks(rule, `${given.unknown} is not in the table of ${base}'s flags that only read.`));
  found.push(...(reader.writes?.(given) ?? []).flatMap((word) => around.writeFinding(word) ?? []));
  const excess = reader.max !== undefined && given.operands.length > reader.max;
  if (given.unknown !== undefined) found.push(...outputFindings(words, around));
  if (excess) found.push(...leaving(given.operands.slice(reader.max), around));
  found.push(...operandFindings(rule, base, reader, given, where));
  for (const word of pathsOf(reader, given)) {
    const follow = reader.follow?.split(" ").some((flag) => given.flags.some(({ name }) => name === flag)) ?? false;
    const options = { whole: reader.whole === true, tree: readsTree(reader, given), follow };
    const path = around.readFinding(word, options);
    if (path) found.push(path);
  }
  return strictest(found) as Finding;
}

function operandFindings(rule: string, base: string, reader: Reader, given: Given, { fed }: Where): Finding[] {
  const { operands } = given;
  const paths = reader.operands === "pattern" ? operands.length - (hasPattern(reader, given) ? 0 : 1) : operands.length;
  if (reader.operands === "none" && operands.length > 0)
    return [asks(rule, `${base} takes no operand that is known to only read.`)];
  if (reader.max !== undefined && operands.length > reader.max)
    return [asks(rule, `One operand of ${base} too many: it may be written to.`)];
  const quiet = readsTree(reader, given) || given.flags.some(({ name }) => name === "-n" || name === "--null-input");
  if (reader.input !== undefined && paths < reader.input && !fed && !(quiet && base !== "cat" && base !== "sed"))
    return [asks(rule, `${base} would read its input, and there is none.`)];
  return [];
}

function hasPattern(reader: Reader, { flags }: Given): boolean {
  return reader.given?.split(" ").some((flag) => flags.some(({ name }) => name === flag)) ?? false;
}

function readsTree(reader: Reader, { flags }: Given): boolean {
  if (reader.tree === undefined) return false;
  return reader.tree === "*" || reader.tree.split(" ").some((flag) => flags.some(({ name }) => name === flag));
}

const here: Word = { text: ".", literal: true, bare: true, dynamic: [] };

/** The operands that are paths, and the files that flags name. */
function pathsOf(reader: Reader, given: Given & { files?: readonly Word[] }): readonly Word[] {
  const files = given.files ?? [];
  const { operands } = given;
  if (reader.operands === "paths") return [...operands, ...files];
  if (reader.operands !== "pattern") return files;
  const paths = hasPattern(reader, given) ? operands : operands.slice(1);
  return [...(paths.length === 0 && readsTree(reader, given) ? [here] : paths), ...files];
}

function judgeChange(judge: Judge, call: Call, argv: readonly string[]): Bases | undefined {
  const { words, around, where } = call;
  const [to, ...more] = words.filter(({ text }) => text !== "--" && text !== "-P" && text !== "-L");
  const { ground } = judge;
  const exact = words.every(({ literal }) => literal);
  const isPlain = to?.literal && more.length === 0 && to.text !== "-";
  const known = isPlain && where.bases ? where.bases.map((base) => ground.spot(base, to.text)) : null;
  const found = strictest([
    call.name === "cd"
      ? readonly("builtin:cd", "It changes the directory of the commands that follow.")
      : asks("builtin:pushd", "It changes the directory of the commands that follow."),
    ...commonFinding(call),
    ...(known
      ? known.filter((spot) => !spot.inside).map(() => asks("path:outside", "It leaves the project."))
      : [asks("path:unknown", "Where it leads is not known.")]),
    ...(to ? [around.wordAlarm(to)].filter((each) => each !== null) : []),
  ]) as Finding;
  judge.add(argv, exact, found, where);
  return known ? [...new Set(known.map(({ path }) => path))] : null;
}
