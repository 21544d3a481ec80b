// Programs that look at files and directories, at names of them, or at the machine.

import type { Check, Reader } from "./spec.js";

const date: Check = ({ operands, words }) =>
  operands.every(({ text }) => text.startsWith("+")) && !words.some(({ text }) => /^-[uR]*s|^--s/.test(text))
    ? null
    : { verdict: "danger", why: "It sets the clock." };

const printf: Check = ({ words }) => {
  const [first] = words;
  if (first?.text.startsWith("-v")) return { verdict: "opaque", why: "printf -v evaluates the name it is given." };
  return first?.text.startsWith("-") && first.text !== "--"
    ? { verdict: "needs-approval", why: "A flag that is not in the table." }
    : null;
};

/** `ps e` shows the environment of processes. */
const processes: Check = ({ operands }) =>
  operands.every(({ text }) => /^[axuwlfjh]+$/.test(text))
    ? null
    : { verdict: "needs-approval", why: "Only aux and the like are known not to show secrets." };

const noOperand: Check = ({ operands }) =>
  operands.length === 0 ? null : { verdict: "danger", why: "With an operand it sets what it otherwise shows." };

const tests = "-d -e -f -h -L -n -r -s -w -x -z";

/** Of a file only whether it is there; numbers would be evaluated (`-eq`), variables looked at (`-v`). */
const test: Check = ({ words }) => {
  const what = words.map(({ text }) => text);
  if (what.at(-1) === "]") what.pop();
  const isFile = what.length === 2 && tests.split(" ").includes(what[0] ?? "");
  const isText = what.length === 3 && /^(=|==|!=)$/.test(what[1] ?? "");
  return isFile || isText ? null : { verdict: "needs-approval", why: "It is more than one plain test." };
};

export const filePrograms: Readonly<Record<string, Reader>> = {
  ls: {
    flags:
      "-aAbBcCdfFgGhHiklLmnNopqQrRsStTuUvwxXZ1 -I: --all --almost-all --human-readable --recursive --reverse --directory --classify --size --inode --numeric-uid-gid --group-directories-first --full-time --no-group --sort: --time: --time-style: --color=never|auto --ignore: --file-type --si --escape --literal --quote-name",
    operands: "paths",
  },
  stat: { flags: "-Lft -c: --dereference --file-system --format: --printf: --terse", operands: "paths" },
  file: {
    flags: "-biLhkrN --brief --mime --mime-type --mime-encoding --no-dereference --dereference",
    operands: "paths",
    whole: true,
  },
  du: {
    flags:
      "-aAbchHklLmsSxD -d: -t: --all --apparent-size --bytes --total --human-readable --summarize --max-depth: --exclude: --threshold: --si",
    operands: "paths",
  },
  tree: {
    flags:
      "-adfixpqsgtuvcUrNQhDFSnCAJX -L: -P: -I: --dirsfirst --filesfirst --noreport --prune --du --si --inodes --device --matchdirs --ignore-case --filelimit: --charset: --timefmt: --sort: --gitignore",
    operands: "paths",
  },
  df: { flags: "-ahHiklPT --human-readable --inodes --local --portability --print-type --total", operands: "paths" },
  readlink: {
    flags: "-efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline",
    operands: "paths",
  },
  realpath: {
    flags: "-eLmPqsz --canonicalize-existing --canonicalize-missing --no-symlinks --relative-to@ --relative-base@",
    operands: "paths",
  },
  basename: { flags: "-az -s: --multiple --suffix:", operands: "text" },
  dirname: { flags: "-z --zero", operands: "text" },
  pwd: { flags: "-LP", operands: "none", builtin: true },
  echo: { flags: "-neE", operands: "text", builtin: true, style: "words" },
  printf: { flags: "--", operands: "text", builtin: true, style: "words", check: printf },
  true: { flags: "", operands: "text", builtin: true },
  false: { flags: "", operands: "text", builtin: true },
  ":": { flags: "", operands: "text", builtin: true },
  type: { flags: "-aptPf", operands: "text", builtin: true },
  which: { flags: "-as", operands: "text" },
  seq: { flags: "-w -s: -f: --equal-width --separator:", operands: "text", max: 3 },
  expr: { flags: "", operands: "text", style: "words" },
  sleep: { flags: "", operands: "text", max: 1 },
  date: {
    flags: "-uR -I? -d: -r@ --utc --universal --rfc-email --iso-8601? --rfc-3339: --rfc-email --date: --reference@",
    operands: "text",
    max: 1,
    check: date,
  },
  cal: { flags: "-13my", operands: "text" },
  test: { flags: tests, operands: "paths", builtin: true, style: "words", check: test },
  "[": { flags: tests, operands: "paths", builtin: true, style: "words", check: test },
  uname: {
    flags: "-asnrvmpio --all --kernel-name --nodename --kernel-release --machine --processor --operating-system",
    operands: "none",
  },
  id: { flags: "-aGgnruz --group --groups --name --real --user", operands: "text", max: 1 },
  whoami: { flags: "", operands: "none" },
  groups: { flags: "", operands: "text", max: 1 },
  hostname: { flags: "-fsiId --fqdn --short", operands: "text", check: noOperand },
  nproc: { flags: "--all --ignore:", operands: "none" },
  arch: { flags: "", operands: "none" },
  ps: { flags: "-efAalxwHj -p: -C:", operands: "text", check: processes },
  uptime: { flags: "-ps --pretty --since", operands: "none" },
  free: { flags: "-bkmghtw --human --mega --giga --total --wide", operands: "none" },
};
