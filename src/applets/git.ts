// git status, log, diff, show and a few more, through a git that reads nothing of the repository's settings.
// Invariant: only options are handed on whose value starts nothing, names no file and leaves the form of a patch as it is;
// of a withheld file no patch shows a line, and no object is shown but as what it is in a commit.

import { posix } from "node:path";
import { type Applet, AppletError, type AppletRun, absolute } from "./applet.js";
import { withholdPatches } from "./patches.js";

interface Subcommand {
  flags: readonly string[];
  /** `--name=value` and `-nvalue`, whole words. */
  valued?: RegExp;
  /** Flags whose value is the next word. */
  next?: RegExp;
  /** Words that are no flags. */
  operands: "none" | "revisions" | "paths";
  /** What it is always told. */
  always?: readonly string[];
}

const list = (text: string): readonly string[] => text.split(" ");
/** No signature is looked at, and nothing is worked out by another git. */
const pretty = String.raw`(?:(?!%[-+ ]?[G(])[^\0])*`;
const diffs = list(
  "-p -u --patch --stat --shortstat --numstat --summary --name-only --name-status --no-renames -M -w -b --ignore-all-space --ignore-space-change --no-color --color=never -s --no-patch --minimal --patience --histogram --full-index --exit-code",
);
const diffValues = String.raw`-U\d+|--unified=\d+|--diff-filter=[ACDMRTacdmrt]+|--stat=\d+(?:,\d+)*`;
const walks = list(
  "--oneline --all --decorate --no-decorate --decorate=short --decorate=no --reverse --no-merges --merges --first-parent --abbrev-commit --no-abbrev-commit --date-order --topo-order --graph --follow -i --regexp-ignore-case -F -E --branches --tags --remotes",
);
const walkValues = String.raw`-n?\d+|--max-count=\d+|--skip=\d+|--(?:since|until|after|before|author|committer|grep|date)=[^\0]+|--(?:format|pretty)=${pretty}`;
const whole = (...patterns: string[]) => new RegExp(`^(?:${patterns.join("|")})$`, "s");
const noPrograms = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

const subcommands: Readonly<Record<string, Subcommand>> = {
  status: {
    flags: list(
      "-s -b -sb -bs --short --branch --porcelain --porcelain=v1 --porcelain=v2 -u -uno -uall -unormal --untracked-files=no --untracked-files=all --untracked-files=normal --long",
    ),
    operands: "paths",
    always: ["--ignore-submodules=all"],
  },
  log: {
    flags: [...walks, ...diffs],
    valued: whole(walkValues, diffValues),
    next: /^-n$/,
    operands: "revisions",
    always: noPrograms,
  },
  show: {
    flags: [...walks.filter((flag) => flag !== "--graph" && flag !== "--follow"), ...diffs],
    valued: whole(walkValues, diffValues),
    operands: "revisions",
    always: noPrograms,
  },
  diff: {
    flags: [...diffs, "--cached", "--staged", "--quiet"],
    valued: whole(diffValues),
    operands: "revisions",
    always: noPrograms,
  },
  branch: { flags: list("--show-current -a -r --list --all --remotes --no-color"), operands: "none" },
  "rev-parse": {
    flags: list("--short --verify -q --abbrev-ref --show-toplevel --show-prefix --show-cdup --is-inside-work-tree"),
    operands: "revisions",
  },
  "ls-files": {
    flags: list("-c -o -m -d -s -t -z --cached --others --modified --deleted --stage --exclude-standard --full-name"),
    operands: "paths",
  },
  blame: { flags: list("-w -s -e -l"), valued: /^-L\d+(?:,\+?\d+)?$/, next: /^-L$/, operands: "paths" },
};

export const gitApplet: Applet = (given) => {
  const words = given[0] === "--no-pager" || given[0] === "-P" ? given.slice(1) : given;
  const [name = "", ...rest] = words;
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  const read = subcommand && readWords(rest, subcommand);
  if (!read) return null;
  const isPatch = rest.some((word) => /^(?:-p|-u|--patch|-U\d+|--unified=\d+)$/.test(word));
  if (rest.includes("--graph") && isPatch) return null;
  if (name === "blame" && read.operands.length !== 1) return null;
  if (name === "show" && read.operands.some((word) => word.includes(":") && !isPathIn(word))) return null;
  if (name !== "show" && read.operands.some((word) => word.includes(":"))) return null;
  return async (run) => {
    for (const operand of read.operands) await mustBeShown(run, name, operand);
    if (name === "blame") mustNotBeWithheld(run, absolute(run.cwd, read.operands[0] ?? ""));
    const { exit, out, err } = await run.files.git([name, ...(subcommand.always ?? []), ...rest], run.cwd);
    const top = name === "log" || name === "show" || name === "diff" ? await topOf(run) : "";
    run.out(top === "" ? out : withholdPatches(out, (path) => run.files.conceals(posix.join(top, path))));
    if (err !== "") run.err(err);
    return exit;
  };
};

/** `HEAD:src/a.ts` */
function isPathIn(word: string): boolean {
  const [, path] = /^[^:]+:([^:]+)$/.exec(word) ?? [];
  return path !== undefined && !/^\/|(?:^|\/)\.\.?(?:\/|$)/.test(path);
}

function readWords(words: readonly string[], { flags, valued, next, operands }: Subcommand) {
  const revisions: string[] = [];
  let isPath = operands === "paths";
  const found: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--" && !found.includes("--")) {
      found.push(word);
      isPath = true;
    } else if (word.startsWith("-") && !found.includes("--")) {
      if (next?.test(word)) {
        if (!valued?.test(`${word}${words[++at] ?? ""}`)) return null;
      } else if (!flags.includes(word) && !valued?.test(word)) return null;
    } else {
      // A path may begin with words for git; a revision may hold an expression.
      if (operands === "none" || word === "" || /^:|[\0\n]/.test(word)) return null;
      if (!isPath && !/^[\w./@^~:{}+-]+$/.test(word)) return null;
      if (!isPath || !found.includes("--")) revisions.push(word);
      else if (operands === "paths") revisions.push(word);
    }
  }
  return { operands: revisions };
}

/** Throws for what is no commit: the content of a blob has no name that could be judged. */
async function mustBeShown(run: AppletRun, name: string, operand: string): Promise<void> {
  if (name !== "show" && name !== "diff") return;
  const [, path] = /^[^:]+:(.+)$/.exec(operand) ?? [];
  if (path !== undefined) {
    mustNotBeWithheld(run, posix.join(await topOf(run), path));
    return;
  }
  for (const end of operand.split(/\.{2,3}/)) {
    if (end === "") continue;
    const { exit, out } = await run.files.git(["cat-file", "-t", `${end}^{}`], run.cwd);
    if (exit === 0 && out.toString("latin1").trim() === "blob")
      throw new AppletError(`${end} is a file without a name: name it as <commit>:<path>`);
  }
}

function mustNotBeWithheld({ files }: AppletRun, path: string): void {
  if (files.conceals(path)) throw new AppletError(`${posix.basename(path)} is withheld: reading it needs an approval`);
}

/** "" where there is none. */
async function topOf({ files, cwd }: AppletRun): Promise<string> {
  const { exit, out } = await files.git(["rev-parse", "--show-toplevel"], cwd);
  return exit === 0 ? out.toString("utf8").replace(/\n$/, "") : "";
}
