// Programs that read text from files or their input and write it to their output.

import type { Word } from "../script.js";
import { readAwk } from "./awk.js";
import { readSed } from "./sed.js";
import type { Check, Given, Reader } from "./spec.js";

const sedText = ({ flags, operands }: Given) => {
  const inline = flags.filter(({ name }) => name === "-e" || name === "--expression");
  return inline.length > 0 ? inline.map(({ value }) => value ?? "").join("\n") : (operands[0]?.text ?? "");
};

/** An `e` where a script that is not understood could have a command. */
const mayRun = /(^|[;{}\n]|\d|\/|\$)\s*e(\s|$|;)|s([^\w\s]).*\3.*\3[gpiImM0-9]*e/;

const sed: Check = (given) => {
  const script = readSed(sedText(given));
  if (script?.runs || (!script && given.words.some(({ text }) => mayRun.test(text))))
    return { verdict: "danger", why: "A sed script with `e` runs commands." };
  if (!script) return { verdict: "needs-approval", why: "The sed script is not understood." };
  const [file] = [...script.writes, ...script.reads];
  return file === undefined ? null : { verdict: "needs-approval", why: `The sed script opens ${file}.` };
};

const inPlace = /^-[nErsuz]*i|^--i/;

const sedWrites = (given: Given): Word[] => {
  const files = readSed(sedText(given))?.writes.map(plainWord) ?? [];
  return given.words.some(({ text }) => inPlace.test(text)) ? [...files, ...given.operands] : files;
};

const awk: Check = ({ operands, words }) => {
  if (words.some(({ text }) => /^(-[li]|--load|--include)/.test(text)))
    return { verdict: "danger", why: "It loads other code." };
  const program = readAwk(operands[0]?.text ?? "");
  if (program === "pure") return null;
  if (program === "runs") return { verdict: "danger", why: "The awk program starts a program." };
  return { verdict: "needs-approval", why: "The awk program does more than print." };
};

const awkWrites = ({ operands }: Given): Word[] => {
  const program = readAwk(operands[0]?.text ?? "");
  if (typeof program === "string") return [];
  return [
    ...program.files.filter((text) => /^[./~]|\.\.\//.test(text)).map(plainWord),
    ...(program.known ? [] : [unknownWord]),
  ];
};

const unknownWord: Word = { text: "", literal: false, bare: true, dynamic: [{ kind: "variable", name: "" }] };

function plainWord(text: string): Word {
  return { text, literal: true, bare: true, dynamic: [] };
}

const awkReader: Reader = {
  flags: "-F: -v: --field-separator: --assign:",
  operands: "pattern",
  input: 1,
  check: awk,
  writes: awkWrites,
  whole: true,
};

const jq: Check = ({ operands }) =>
  /\benv\b|\$env|input_filename|\b(import|include|modulemeta|get_search_list|input_line_number)\b|\$__prog/i.test(
    operands[0]?.text ?? "",
  )
    ? { verdict: "needs-approval", why: "The filter reads more than its input." }
    : null;

export const textPrograms: Readonly<Record<string, Reader>> = {
  cat: {
    flags:
      "-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --show-nonprinting",
    operands: "paths",
    input: 1,
    whole: true,
  },
  tac: { flags: "-b -s: --before --separator:", operands: "paths", input: 1, whole: true },
  nl: { flags: "-b: -n: -w: -s: -v: -i: -ba", operands: "paths", input: 1, whole: true },
  head: { flags: "-qvz -n: -c: -NUM --lines: --bytes: --quiet --silent --verbose", operands: "paths", input: 1 },
  tail: {
    flags: "-qvz -n: -c: -NUM --lines: --bytes: --quiet --silent --verbose",
    operands: "paths",
    input: 1,
    whole: true,
  },
  wc: { flags: "-lwcmL --lines --words --bytes --chars --max-line-length", operands: "paths", input: 1, whole: true },
  sort: {
    flags:
      "-bdfghiMnRrVcCmsuz -k: -t: --reverse --unique --numeric-sort --ignore-case --key: --field-separator: --stable --check --version-sort --human-numeric-sort",
    operands: "paths",
    input: 1,
    runs: "--compress-program",
    whole: true,
  },
  uniq: {
    flags: "-cdDuiz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars:",
    operands: "paths",
    max: 1,
    input: 1,
    whole: true,
  },
  cut: {
    flags:
      "-sz -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter:",
    operands: "paths",
    input: 1,
    whole: true,
  },
  paste: { flags: "-sz -d: --serial --delimiters:", operands: "paths", input: 1, whole: true },
  join: { flags: "-i -1: -2: -a: -e: -j: -o: -t: -v:", operands: "paths", input: 2, whole: true },
  comm: { flags: "-123z --output-delimiter:", operands: "paths", input: 2, whole: true },
  tr: { flags: "-cCdst --complement --delete --squeeze-repeats --truncate-set1", operands: "text" },
  fold: { flags: "-bs -w: --width: --spaces", operands: "paths", input: 1, whole: true },
  fmt: { flags: "-su -w: --width:", operands: "paths", input: 1, whole: true },
  column: { flags: "-tx -s: -c: -o: --table --separator:", operands: "paths", input: 1, whole: true },
  expand: { flags: "-i -t: --tabs: --initial", operands: "paths", input: 1, whole: true },
  unexpand: { flags: "-a -t: --tabs: --all", operands: "paths", input: 1, whole: true },
  rev: { flags: "", operands: "paths", input: 1, whole: true },
  od: { flags: "-abcdfiloxv -A: -t: -N: -j: -w:", operands: "paths", input: 1, whole: true },
  hexdump: { flags: "-bcCdovx -n: -s:", operands: "paths", input: 1, whole: true },
  xxd: { flags: "-abeiuE -c: -g: -l: -s: -p", operands: "paths", max: 1, input: 1, whole: true },
  strings: { flags: "-af -n: -t: -NUM", operands: "paths", input: 1, whole: true },
  base64: { flags: "-di -w: --decode --wrap: --ignore-garbage", operands: "paths", max: 1, input: 1, whole: true },
  md5sum: { flags: "-btz", operands: "paths", input: 1, whole: true },
  sha1sum: { flags: "-btz", operands: "paths", input: 1, whole: true },
  sha256sum: { flags: "-btz", operands: "paths", input: 1, whole: true },
  sha512sum: { flags: "-btz", operands: "paths", input: 1, whole: true },
  cksum: { flags: "", operands: "paths", input: 1, whole: true },
  cmp: {
    flags: "-bls -n: -i: --quiet --silent --print-bytes --verbose",
    operands: "paths",
    max: 4,
    input: 2,
    whole: true,
  },
  diff: {
    flags:
      "-abBcdeEilnNpqrstTuwyZ -U: -C: -I: -x: --unified? --context? --brief --recursive --side-by-side --ignore-all-space --ignore-case --ignore-space-change --ignore-blank-lines --new-file --no-dereference --report-identical-files --color=never|auto --exclude: --strip-trailing-cr --text --minimal --width:",
    operands: "paths",
    max: 2,
    input: 2,
    tree: "-r --recursive",
    whole: true,
  },
  sed: {
    flags:
      "-nErsuz -e: -l: --quiet --silent --regexp-extended --expression: --separate --unbuffered --null-data --line-length: --sandbox --posix",
    operands: "pattern",
    given: "-e --expression",
    input: 1,
    check: sed,
    writes: sedWrites,
    whole: true,
  },
  awk: awkReader,
  gawk: awkReader,
  mawk: awkReader,
  nawk: awkReader,
  jq: {
    flags:
      "-rcesSnjMa --raw-output --compact-output --exit-status --slurp --sort-keys --null-input --join-output --monochrome-output --ascii-output --tab",
    operands: "pattern",
    check: jq,
    whole: true,
  },
};
