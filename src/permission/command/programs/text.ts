// Programs that read text from files or their input and write it to their output.

import type { Check, Reader } from "./spec.js";

const sedPrint = /^(\d+|\$)(,(\d+|\$|\+\d+))?p(\s*;\s*(\d+|\$)(,(\d+|\$|\+\d+))?p)*$/;

const sed: Check = ({ flags, operands, words }) => {
  const inline = flags.find(({ name }) => name === "-e" || name === "--expression")?.value;
  const script = inline ?? operands[0]?.text ?? "";
  const all = [script, ...words.map(({ text }) => text)];
  const runs = /(^|[;{}\n]|\d|\/|\$)\s*e(\s|$|;)|s([^\w\s]).*\3.*\3[gpiImM0-9]*e/;
  if (all.some((text) => runs.test(text))) return { verdict: "danger", why: "A sed script with `e` runs commands." };
  const isQuiet = flags.some(({ name }) => name === "-n" || name === "--quiet" || name === "--silent");
  if (isQuiet && sedPrint.test(script)) return null;
  return {
    verdict: "needs-approval",
    why: "Only the printing of lines by number (`sed -n 1,5p`) is known to only read.",
  };
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
    flags: "-nEr -e: --quiet --silent --regexp-extended --expression:",
    operands: "pattern",
    given: "-e --expression",
    input: 1,
    check: sed,
    whole: true,
  },
  jq: {
    flags:
      "-rcesSnjMa --raw-output --compact-output --exit-status --slurp --sort-keys --null-input --join-output --monochrome-output --ascii-output --tab",
    operands: "pattern",
    check: jq,
    whole: true,
  },
};
