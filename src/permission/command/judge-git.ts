// git: the subcommand is looked up, and the configuration around it has to be one that runs nothing.

import type { Call } from "./call.js";
import { asks, danger, type Finding, opaque, readonly, strictest } from "./finding.js";
import { flagAmong, flagTable, parseFlags } from "./flags.js";
import { configTrouble } from "./git-config.js";
import type { Judge } from "./judge.js";
import { outputFindings } from "./judge-doer.js";
import { isSecretName } from "./places.js";
import { gitDangers, gitGlobals, gitLooks, gitRedirections, gitRuns } from "./programs/git.js";
import type { Reader } from "./programs/spec.js";
import type { Word } from "./script.js";

export function judgeGit(judge: Judge, call: Call): Finding {
  const { words, where, around } = call;
  const found: Finding[] = [];
  let bases = where.bases;
  let at = 0;
  for (; at < words.length; at++) {
    const { text } = words[at] as Word;
    if (text === "-C") {
      const to = words[++at];
      const path = to ? around.readFinding(to) : asks("git", "-C without a directory.");
      if (path) found.push(path);
      bases = to?.literal && bases ? bases.map((base) => judge.ground.spot(base, to.text).path) : null;
    } else if (text === "-c" && isHarmless(words[at + 1])) at++;
    else if (text.startsWith("-c") && isHarmless({ ...(words[at] as Word), text: text.slice(2) })) continue;
    else if (gitRedirections.test(text))
      return danger("git", `${text.split("=")[0]} gives git other configuration, programs or another repository.`);
    else if ((text === "--version" || text === "--help") && at === words.length - 1)
      return readonly("git:version", "It says what git is.");
    else if (!text.startsWith("-")) break;
    else if (!gitGlobals.has(text)) found.push(asks("git", `${text} is not in the table of git's flags.`));
  }
  const rest = words.slice(at);
  const what = subcommand(rest, call);
  found.push(what);
  if (what.verdict !== "readonly") found.push(...changedOutside(judge.around({ bases }), rest));
  if (strictest(found)?.verdict === "readonly") {
    const trouble =
      bases === null
        ? "a directory that is not known"
        : bases.map((base) => judge.ground.gitTrouble(base)).find((each) => each !== null);
    if (trouble !== undefined)
      found.push(asks("git:config", `The repository's configuration may run something (${trouble}).`));
    if (judge.ground.isOfProject("git")) found.push(asks("program:project", "git is a program of the project."));
    if (call.name !== "git") found.push(asks("program:path", "The program is named by a path."));
  }
  return strictest(found) as Finding;
}

/** `-c user.name=A`: a key that the configuration of a repository may have as well. */
function isHarmless(word: Word | undefined): boolean {
  const [, section, , sub, key, value = ""] =
    /^([A-Za-z][\w-]*)(\.([\w./ -]+))?\.([A-Za-z][\w-]*)(?:=([^"\\\n]*))?$/.exec(word?.literal ? word.text : "") ?? [];
  if (section === undefined) return false;
  const head = sub === undefined ? section : `${section} "${sub}"`;
  return configTrouble(`[${head}]\n${key} = ${value}\n`) === null;
}

function subcommand(words: readonly Word[], call: Call): Finding {
  const line = words.map(({ text }) => text).join(" ");
  const name = words[0]?.text ?? "";
  const rule = `git:${name}`;
  for (const [pattern, why] of gitDangers) if (pattern.test(line)) return danger(rule, why);
  const lookName = [`${name} ${words[1]?.text ?? ""}`, name].find((each) => Object.hasOwn(gitLooks, each));
  const runs = flagAmong(words.slice(1), gitRuns);
  if (runs !== undefined && !runs.startsWith("--exec") && !isLookFlag(lookName, runs))
    return danger(rule, `${runs} names what git is to run or read.`);
  if (/^--exec/.test(runs ?? "")) return danger(rule, `${runs} names what git is to run.`);
  if (/^(clone|fetch|pull|ls-remote|push)$/.test(name) && words.some(({ text }) => /^-u\S+/.test(text)))
    return danger(rule, "It names what git is to run.");
  const look = lookName === undefined ? undefined : gitLooks[lookName];
  if (!look)
    return asks(
      rule,
      name === "" ? "git without a subcommand." : `git ${name} is not in the table of what only looks.`,
    );
  return looks(rule, look, words.slice(lookName?.includes(" ") ? 2 : 1), call);
}

/** Of these the operands are read, or kept as text. */
const gets = /^(apply|am|fetch|pull|remote|commit|tag|notes|ls-remote|config|cherry-pick|merge)$/;

/** What of the words a subcommand that changes something may change outside of the project. */
function changedOutside(around: Call["around"], [name, ...words]: readonly Word[]): Finding[] {
  const isRead = gets.test(name?.text ?? "") || Object.hasOwn(gitLooks, name?.text ?? "");
  const others = isRead ? [] : words.map((word) => around.outputFinding(word));
  const found = [around.placeFinding(), ...others].filter((each) => each !== null);
  return [...found, ...outputFindings(words, around)];
}

function isLookFlag(lookName: string | undefined, flag: string): boolean {
  const look = lookName === undefined ? undefined : gitLooks[lookName];
  return look !== undefined && flagTable(look.flags).flags.has(flag.split("=")[0] ?? "");
}

function looks(rule: string, look: Reader, words: readonly Word[], { around, where }: Call): Finding {
  const pager = flagAmong(words, look.runs);
  if (pager !== undefined) return danger(rule, `${pager} makes git run a program.`);
  const given = parseFlags(words, flagTable(look.flags));
  const found: Finding[] = [readonly(rule, "It only looks at the repository.")];
  if (given.unknown !== undefined)
    found.push(asks(rule, `${given.unknown} is not in the table of flags that only look.`));
  if (given.flags.some(({ value }) => value !== undefined && /%[-+ ]?G|%\(\*?signature|%\(trailers:.*\)/.test(value)))
    found.push(asks(rule, "The format asks for signatures, which runs a program."));
  if (look.max !== undefined && given.operands.length > look.max)
    found.push(asks(rule, "With these operands it changes something."));
  if (look.input !== undefined && given.operands.length < look.input && !where.fed)
    found.push(asks(rule, "Without a revision it reads its input."));
  if (
    /^git:(branch|tag)$/.test(rule) &&
    given.operands.length > 0 &&
    !given.flags.some(({ name }) =>
      /^(--list|-l|--contains|--no-contains|--merged|--no-merged|--points-at)$/.test(name),
    )
  ) {
    found.push(asks(rule, "With a name and no --list it makes one."));
  }
  if (rule === "git:reflog" && /^(expire|delete|drop)$/.test(given.operands[0]?.text ?? ""))
    found.push(danger(rule, "It deletes history."));
  for (const word of given.operands) found.push(...operand(word, around));
  return strictest(found) as Finding;
}

/** A revision, a path, or `revision:path`. */
function operand(word: Word, around: Call["around"]): Finding[] {
  const path = word.text.slice(word.text.lastIndexOf(":") + 1);
  if (isSecretName(path.slice(path.lastIndexOf("/") + 1))) return [danger("path:secret", `${path} can hold secrets.`)];
  if (!word.literal) return [];
  if (/^(\/|~|\.\.?\/|.*\/\.\.(\/|$)|\.\.$)/.test(word.text)) {
    const found = around.readFinding(word);
    return found ? [found] : [];
  }
  return word.text.startsWith("-") ? [opaque("git", "An operand that begins with a dash.")] : [];
}
