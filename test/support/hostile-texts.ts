// Texts that a model, a project, a server or a file could send to make a parser on the main thread take for ever, each as
// long as it is let in. Run as a program of its own: prints the processor time that each took, a line of JSON per text.

import { z } from "zod";
import { salvageInput } from "../../src/agent/salvage.js";
import { styleFace } from "../../src/build/verify/page-face.js";
import { readYaml } from "../../src/build/yaml-text.js";
import { markdownLines } from "../../src/cli/tui/markdown.js";
import { applyEdits } from "../../src/files/edit/edit.js";
import { diffTexts } from "../../src/lib/diff.js";
import { readArguments } from "../../src/lib/json.js";
import { KnownSecrets } from "../../src/secrets/known.js";

const kb = 1_024;
const mb = kb * kb;

/** `piece` as often as `size` characters hold it. */
const times = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));
const counted = (size: number, piece: (i: number) => string) => {
  let text = "";
  for (let i = 0; text.length < size; i++) text += piece(i);
  return text;
};

type Subject = (text: string) => unknown;

function each(subject: Subject, size: number, ...pieces: string[]): [string, () => unknown][] {
  return pieces.map((piece) => [JSON.stringify(piece.slice(0, 60)), () => subject(times(piece, size))]);
}

const markdown: Subject = (text) => markdownLines(text, 80);
const markdownPieces = [
  ..."> |- |* |1. |`|*|_|[|]|![|(|<|~|~~|\\|&|a|\n| |\t|#|=|:|http://|www.|a@|<a |<!--|<![CDATA[|<?".split("|"),
  ...'**a *|*a **a |_a __a |[a](|[a](<|[a][|[a]: |![[]()|~a ~~a |`a ``a |<a b="|- a\n|- - |> - |>\n|a\n\n|\\`|***a|[*a|`\n|a*b_|"\n|<div>\n|</a>|\'&amp;'.split(
    "|",
  ),
  "| a ",
  "|a|b|\n|-|-|\n",
  "|-",
  "```\n",
  "~~~",
  "[a]: b\n",
  "- a\n  ",
  "  ",
  " \n",
  "- \n\n",
  "1. a\n\n\n",
];

const secrets = new KnownSecrets();
secrets.learn("A_KEY", `${"a".repeat(99)}b`);
secrets.learn("B_KEY", "\n".repeat(99));
secrets.learn("C_KEY", `${"ab".repeat(40)}c`);
const redacted: Subject = (text) => {
  secrets.all(text);
  const pieces = secrets.pieces();
  for (let at = 0; at < text.length; at += 64 * kb) pieces.push(text.slice(at, at + 64 * kb));
  pieces.end();
};

const edit = (text: string, old: string) => () => {
  try {
    applyEdits(text, [{ oldText: old, newText: "x" }], "a");
  } catch (error) {
    if ((error as Error).name !== "Refusal" && !("ways" in (error as object))) throw error;
  }
};

const lines = (word: string, count: number) => Array.from({ length: count }, (_, i) => `${word}${i}`).join("\n");

/** What is tried, by subject. */
export const subjects: Record<string, () => [string, () => unknown][] | Promise<[string, () => unknown][]>> = {
  markdown: () => each(markdown, 200 * kb, ...markdownPieces),
  plans: () => [
    [
      "keys",
      () =>
        readYaml(
          counted(290 * kb, (i) => `a${i}: b\n`),
          z.any(),
          () => [],
        ),
    ],
    [
      "aliases",
      () =>
        readYaml(
          `a0: &a0 [x]\n${Array.from({ length: 60 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join("")}`,
          z.any(),
          () => [],
        ),
    ],
    ["many aliases", () => readYaml(`a: &a x\nb: [${"*a,".repeat(60_000)}]\n`, z.any(), () => [])],
    [
      "many anchors",
      () =>
        readYaml(
          counted(290 * kb, (i) => `a${i}: &a${i} x\nb${i}: *a${i}\n`),
          z.any(),
          () => [],
        ),
    ],
  ],
  redaction: () =>
    each(
      redacted,
      mb,
      "a",
      "\n",
      "ab",
      "\\n",
      "eyJ",
      "eyJa.",
      "-----BEGIN ",
      "sk-",
      "sk-ant-",
      "ghp_",
      "A",
      "-",
      " ",
      "\\",
      "\r",
      "eyJhbGciOiJI.eyJ",
      "-----BEGIN PRIVATE KEY-----",
      "github_pat_",
      "xox",
    ),
  edits: () => [
    ["nothing like it", edit(times("lorem ipsum\n", 5 * mb), times("dolor sit\n", 100 * kb))],
    ["nearly it", edit(times("a", 5 * mb), `${times("a", 100 * kb)}b`)],
    ["nearly it, in lines", edit(times("a\n", 2 * mb), `${times("a\n", 100 * kb)}b`)],
    ["it everywhere", edit(times("a", 5 * mb), times("a", 100 * kb))],
    ["it everywhere, with other line ends", edit(times("a\r\n", 5 * mb), times("a\n", 100 * kb))],
    ["one long line", edit(times("ab", 5 * mb), times("cd", 100 * kb))],
  ],
  diffs: () => [
    ["nothing in common", () => diffTexts(lines("a", 50_000), lines("b", 50_000), 3)],
    ["every second line", () => diffTexts(lines("a", 50_000), lines("a", 50_000).replaceAll("1\n", "x\n"), 3)],
    [
      "the other way round",
      () => diffTexts(lines("a", 50_000), lines("a", 50_000).split("\n").reverse().join("\n"), 3),
    ],
    ["the same line", () => diffTexts(times("a\n", 200_000), times("b\na\n", 400_000), 3)],
    ["blank lines", () => diffTexts(times("\n", 100_000), times("\n\nx\n", 200_000), 3)],
  ],
  arguments: () => [
    ...each(
      (text) => salvageInput(`{"path":"a","content":"${text}`, "content"),
      5 * mb,
      "a",
      "\\\\",
      "\\n",
      "\\u0061",
      " ",
      '","b":"',
    ),
    ...each((text) => salvageInput(text, "content"), 5 * mb, "{", '"a":1,', " ", "1", '"', "\\"),
    ["many members", () => salvageInput(`{${counted(5 * mb, (i) => `"a${i}":1,`)}`, "content")],
    ["numbers", () => salvageInput(`{"a":${"1".repeat(5 * mb)}`, "content")],
    ...each((text) => readArguments(`{"a":"${text}"}`), 5 * mb, "\\\\", '\\"', "a", '","b":"'),
    ["backslashes before a quote", () => readArguments(`{"a":"${'\\\\\\"'.repeat(mb)}"}`)],
  ],
  styles: () => each(styleFace, mb, "/*", "url(", 'url("', "@import ", '@import "', "url( ", " ", "'", "url('"),
};

const [, , name = ""] = process.argv;
for (const [what, run] of (await subjects[name]?.()) ?? []) {
  const say = (event: object) => process.stdout.write(`${JSON.stringify({ what, ...event })}\n`);
  const before = process.cpuUsage();
  let fault: string | undefined;
  try {
    await run();
  } catch (error) {
    fault = String(error).slice(0, 200);
  }
  const { user, system } = process.cpuUsage(before);
  say({ ms: Math.round((user + system) / 1_000), ...(fault === undefined ? {} : { fault }) });
}
process.stdout.write(`${JSON.stringify({ what: "the end", ms: 0 })}\n`);
