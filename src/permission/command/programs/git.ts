// git: which subcommands only look, and with which flags; which of the others throw work away or run what they are told.
// Every look presupposes that the repository's configuration runs nothing (git-config.ts).

import type { Reader } from "./spec.js";

const diffFlags =
  "-pusRbwMCDzaWS: -G: -U: -O@ -M? -C? -l: --patch --no-patch --stat? --numstat --shortstat --dirstat? --summary --patch-with-stat --raw --name-only --name-status --unified: --minimal --patience --histogram --diff-algorithm: --color=never|auto --no-color --word-diff? --word-diff-regex: --color-words? --no-renames --find-renames? --find-copies? --diff-filter: --relative? --text --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --inter-hunk-context: --function-context --exit-code --quiet --no-ext-diff --no-textconv --full-index --abbrev? --check --submodule=short|log --src-prefix: --dst-prefix: --no-prefix --pickaxe-all --pickaxe-regex --cached --staged --merge-base";
const walkFlags =
  "-n: -NUM -g -i -E -F -P -m -c --cc -L: --oneline --max-count: --skip: --since: --after: --until: --before: --author: --committer: --grep: --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --merges --no-merges --first-parent --all --branches? --tags? --remotes? --glob: --exclude: --reverse --date-order --author-date-order --topo-order --graph --decorate? --no-decorate --follow --full-history --simplify-merges --ancestry-path --left-right --cherry --cherry-pick --cherry-mark --boundary --date: --pretty? --format: --abbrev-commit --no-abbrev-commit --parents --children --source --no-notes --no-walk? --walk-reflogs --left-only --right-only --count --objects --timestamp --relative-date --full-diff --log-size --encoding: --show-pulls --no-expand-tabs --max-parents: --min-parents:";

const look = (flags: string, more: Partial<Reader> = {}): Reader => ({ flags, operands: "revisions", ...more });

/** Subcommands that only look; of `stash list` and the like the two words. */
export const gitLooks: Readonly<Record<string, Reader>> = {
  status: look(
    "-sbvz -u? --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
  ),
  log: look(`${walkFlags} ${diffFlags}`),
  show: look(`${walkFlags} ${diffFlags}`),
  diff: look(diffFlags),
  whatchanged: look(`${walkFlags} ${diffFlags}`),
  "diff-tree": look(`-r -t --root --stdin ${diffFlags}`.replace("--stdin ", "")),
  "rev-list": look(walkFlags),
  blame: look(
    "-bcefklnpstwM? -C? -L: --root --line-porcelain --porcelain --show-name --show-number --show-email --date: --since: --abbrev: --color-lines --reverse --first-parent --no-progress",
  ),
  annotate: look("-l -L:"),
  shortlog: look(`-nse ${walkFlags}`, { input: 1 }),
  branch: look(
    "-avrqi --list --all --remotes --verbose --show-current --contains? --no-contains? --merged? --no-merged? --points-at: --sort: --format: --color=never|auto --no-color --column? --no-column --abbrev? --ignore-case -l",
  ),
  tag: look(
    "-l -n? -i --list --contains? --no-contains? --merged? --no-merged? --points-at: --sort: --format: --column? --no-column --color=never|auto --ignore-case",
  ),
  remote: look("-v --verbose", { max: 0 }),
  "remote get-url": look("--push --all"),
  "stash list": look(walkFlags),
  "stash show": look(diffFlags),
  "ls-files": look(
    "-cdmoiskutvzf -x: --cached --deleted --modified --others --ignored --stage --killed --unmerged --full-name --exclude: --exclude-standard --error-unmatch --abbrev? --eol --deduplicate --directory --no-empty-directory --recurse-submodules",
  ),
  "ls-tree": look("-drtlz --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:"),
  "rev-parse": look(
    "-q --short? --verify --abbrev-ref? --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --quiet --revs-only --no-revs --not --sq --show-superproject-working-tree --path-format: --show-object-format?",
  ),
  describe: look(
    "--all --tags --contains --always --long --abbrev: --candidates: --exact-match --match: --exclude: --first-parent --dirty? --broken?",
  ),
  "show-ref": look("-dqs --head --heads --tags --branches --verify --hash? --abbrev? --dereference --quiet"),
  "for-each-ref": look(
    "--count: --sort: --format: --points-at: --merged? --no-merged? --contains? --no-contains? --ignore-case --exclude:",
  ),
  "merge-base": look("-a --all --octopus --independent --is-ancestor --fork-point"),
  "name-rev": look("--name-only --tags --refs: --no-undefined --always"),
  "cat-file": look("-petss -p -t -s -e"),
  "count-objects": look("-vH --verbose --human-readable"),
  "check-ignore": look("-vnq --verbose --non-matching --quiet --no-index"),
  "check-attr": look("-a --all --cached"),
  "symbolic-ref": look("-q --short --quiet", { max: 1 }),
  "worktree list": look("-vz --porcelain --verbose"),
  "submodule status": look("--cached --recursive"),
  reflog: look(walkFlags, { max: 1 }),
  "reflog show": look(walkFlags),
  "config --get": look(
    "--local --global --system --show-origin --show-scope --null -z --type: --bool --int --path --includes --name-only --default:",
    { operands: "text", max: 2 },
  ),
  "config --get-all": look("--local --global --system --show-origin --show-scope --null -z", {
    operands: "text",
    max: 2,
  }),
  "config get": look("--local --global --system --all --show-origin --show-scope", { operands: "text", max: 1 }),
  grep: look(
    "-EFGPIahHiLlnopqrvwWzc -A: -B: -C: -e: -m: -NUM --and --or --not --extended-regexp --fixed-strings --basic-regexp --perl-regexp --count --ignore-case --files-with-matches --files-without-match --name-only --line-number --column --only-matching --quiet --invert-match --word-regexp --after-context: --before-context: --context: --max-count: --max-depth: --untracked --cached --no-index --heading --break --show-function --function-context --full-name --color=never|auto --no-color --text --all-match"
      .replace(" --no-index", "")
      .replace(" --untracked", ""),
    { operands: "text", runs: "-O --open-files-in-pager" },
  ),
  version: look("--build-options", { max: 0 }),
};

/** Before the subcommand. `-C <dir>` is read by whoever reads these. */
export const gitGlobals = new Set([
  "--no-pager",
  "-P",
  "--no-optional-locks",
  "--literal-pathspecs",
  "--no-replace-objects",
  "--icase-pathspecs",
  "--glob-pathspecs",
  "--noglob-pathspecs",
  "--no-lazy-fetch",
]);

/** Flags that name a program, on whatever subcommand; of long ones every beginning that git takes for them. */
export const gitRuns = "--upload-pack --receive-pack --exec --open-files-in-pager --extcmd --template --config";

/** Before the subcommand: another repository, other programs, other configuration. */
export const gitRedirections =
  /^(-c.*|--git-dir(=.*)?|--work-tree(=.*)?|--exec-path=.*|--config-env(=.*)?|--namespace(=.*)?|--super-prefix.*|--bare|--attr-source(=.*)?)$/s;

/** What the words after `git` match when nobody but the user may say yes. */
export const gitDangers: readonly (readonly [RegExp, string])[] = [
  [/\b(ext|fd)::/, "The transport ext:: runs a command."],
  [
    /^push\b.*\s(-\w*f\w*|--forc?e?\b\S*|--force-with-lease\S*|--mirror|--del(ete)?|-d|--prune|\+\S+|:\S+)(\s|$)/,
    "It overwrites or deletes what others have.",
  ],
  [/^reset\b.*\s--(hard|merge|keep)\b/, "It throws away uncommitted work."],
  [/^clean\b(?!.*\s(-\w*n\w*|--dry-run)(\s|$))/, "It deletes files that git does not know."],
  [/^checkout\b.*(\s--\s|\s(-f|--force)(\s|$)|\s\.{1,2}\/?(\s|$))/, "It overwrites uncommitted work."],
  [/^restore\b(?!.*\s(--staged|-S)(\s|$))|^restore\b.*\s(--worktree|-W)(\s|$)/, "It overwrites uncommitted work."],
  [/^switch\b.*\s(-f|--force|--discard-changes)(\s|$)/, "It throws away uncommitted work."],
  [/^stash\s+(drop|clear)\b/, "It throws away what was stashed."],
  [/^branch\b.*\s(-D|-\w*D\w*|--delete\s+--force)(\s|$)/, "It deletes a branch that may not be merged."],
  [
    /^(reflog\s+(expire|delete)|gc\b.*--prune|prune\b|filter-branch|filter-repo|update-ref\s+(-d|--stdin))/,
    "It deletes history.",
  ],
  [/^rebase\b.*\s(-x|--exe?c?)\b|^bisect\s+run\b|^submodule\s+foreach\b/, "It runs a command it is given."],
  [
    /^(difftool|mergetool|instaweb|web--browse|credential\S*|daemon|shell|http-backend|upload-pack|receive-pack|send-email|fsmonitor--daemon|maintenance\s+(start|register))\b/,
    "It starts other programs, or hands out credentials.",
  ],
  [
    /^config\b.*\s(--global|--system|--file|-f|--blob)\b(?!.*\s--(get|list|get-all))/,
    "It changes configuration outside of the project.",
  ],
  [/^config\b.*\s(-e|--edit|edit|--remove-section|--rename-section)(\s|$)/, "It changes configuration in an editor."],
  [
    /^config\b(?!.*\s(--get|--get-all|--list|-l|get|list)\b).*\b(core\.(fsmonitor|hookspath|pager|sshcommand|editor|askpass|gitproxy|worktree|attributesfile|alternaterefscommand)|diff\.\S*(textconv|command|external)|filter\.|gpg\.|alias\.|credential|include|pager\.|merge\.\S*driver|sequence\.editor|url\.|remote\.\S*(uploadpack|receivepack|vcs|proxy)|protocol\.|safe\.|browser\.|mergetool|difftool|submodule\.|uploadpack|init\.templatedir|trailer\.|interactive\.|sendemail|tar\.|man\.|web\.|http\.|ssh\.)/i,
    "It makes git run a program from now on.",
  ],
];
