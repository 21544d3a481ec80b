// Programs that search: in the text of files, and for names of files.

import type { Check, Reader } from "./spec.js";

const find: Check = ({ words }) => {
  const danger = words.find(({ text }) => /^-(exec|execdir|ok|okdir|delete)$/.test(text));
  if (danger)
    return {
      verdict: "danger",
      why: `find ${danger.text} ${danger.text === "-delete" ? "deletes what it finds" : "runs a program on what it finds"}.`,
    };
  return null;
};

export const searchPrograms: Readonly<Record<string, Reader>> = {
  grep: {
    flags:
      "-EFGPabchHiILlnoqrRsTvwxyZz -A: -B: -C: -m: -e: -f@ -NUM --extended-regexp --fixed-strings --basic-regexp --perl-regexp --count --with-filename --no-filename --ignore-case --no-ignore-case --files-with-matches --files-without-match --line-number --only-matching --quiet --silent --recursive --dereference-recursive --no-messages --invert-match --word-regexp --line-regexp --after-context: --before-context: --context: --max-count: --regexp: --file@ --include: --exclude: --exclude-dir: --binary-files: --text --null --color=never|auto --colour=never|auto",
    operands: "pattern",
    given: "-e -f --regexp --file",
    input: 1,
    tree: "-r --recursive -R --dereference-recursive",
    follow: "-R --dereference-recursive",
    whole: true,
  },
  rg: {
    flags:
      "-abcFHiIlLnNopPqsSUvwxu0 -A: -B: -C: -e: -f@ -g: -m: -M: -t: -T: -E: --after-context: --before-context: --context: --regexp: --file@ --glob: --iglob: --max-count: --max-columns: --max-depth: --type: --type-not: --encoding: --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --with-filename --no-filename --heading --no-heading --ignore-case --case-sensitive --smart-case --line-number --no-line-number --only-matching --pcre2 --quiet --multiline --multiline-dotall --invert-match --word-regexp --line-regexp --json --stats --trim --vimgrep --column --null --sort: --sortr: --hidden --no-ignore --no-ignore-vcs --no-messages --no-config --passthru --replace: -r: --color=never|auto --type-list --text --threads: -j: --engine:",
    operands: "pattern",
    given: "-e -f --regexp --file --files --type-list",
    tree: "*",
    runs: "--pre --hostname-bin",
    whole: true,
  },
  find: {
    flags:
      "-H -L -P -O0 -O1 -O2 -O3 -amin: -anewer@ -atime: -cmin: -cnewer@ -ctime: -daystart -depth -empty -executable -false -fstype: -group: -iname: -inum: -ipath: -iregex: -iwholename: -links: -lname: -ilname: -ls -maxdepth: -mindepth: -mmin: -mount -mtime: -name: -newer@ -nogroup -noleaf -not -nouser -o -or -a -and -path: -perm: -print -print0 -printf: -prune -quit -readable -regex: -regextype: -samefile@ -size: -true -type: -uid: -gid: -used: -user: -wholename: -writable -xdev -xtype:",
    style: "words",
    operands: "paths",
    check: find,
    runs: "-exec -execdir -ok -okdir",
  },
};
