// The analysis against a real bash: what bash does not take is never read-only, and the words that the analysis names are the
// words that a program gets. Properties 10–12 of SECURITY 4.14, and hostile sizes.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { analystIn, makeShellProject, shellBypasses, shellCases } from "../../../test/support/shell-cases.js";
import type { CommandAnalysis } from "../../core/command.js";

const project = makeShellProject();
afterAll(project.remove);
let analyse: Awaited<ReturnType<typeof analystIn>>;
const probes = join(project.home, "probes");
const seen = join(project.home, "seen");

/** Programs that only write down their words, in one piece because those of a pipeline run at once (bash writes at each line end), under the names that the tables call read-only. */
beforeAll(async () => {
  analyse = await analystIn(project.root, project.home);
  mkdirSync(probes);
  for (const name of ["ls", "cat", "grep", "wc", "head", "sort", "which", "basename"]) {
    writeFileSync(join(probes, name), `#!/bin/bash\nprintf '%s\\0' "$0" "$@" $'\\1' >> ${seen}\n`);
    chmodSync(join(probes, name), 0o755);
  }
});

const rank = ({ verdict, reason }: CommandAnalysis) =>
  verdict === "readonly" ? 0 : verdict === "needs-approval" ? 1 : reason === "danger" ? 3 : 2;

const word = fc.oneof(
  fc.constantFrom(
    "ls",
    "cat",
    "grep",
    "-l",
    "-n",
    "src",
    "README.md",
    "a b",
    "x'y",
    'q"r',
    "$HOME",
    "*",
    "~",
    "{a,b}",
    "#",
    "--",
    "é",
    "\\",
    "!",
  ),
  fc.string({
    minLength: 1,
    maxLength: 6,
    unit: fc.constantFrom(..."abz01-_./:=,+@%^ '\"\\$`*?[]{}~#!&|;<>()".split("")),
  }),
);

const quotings: readonly ((text: string) => string)[] = [
  (text) => `'${text.replaceAll("'", "'\\''")}'`,
  (text) => `"${text.replace(/["\\$`]/g, "\\$&")}"`,
  (text) => text.replace(/[^\w]/g, "\\$&"),
  (text) => `$'${text.replace(/['\\]/g, "\\$&")}'`,
  (text) =>
    [...text]
      .map((char, index) =>
        index % 2 ? `"${char.replace(/["\\$`]/g, "\\$&")}"` : `'${char === "'" ? "'\\''" : char}'`,
      )
      .join(""),
];

/** One argument vector in one spelling. */
const spelt = fc
  .tuple(
    fc.constantFrom("ls", "cat", "grep", "wc", "which", "basename"),
    fc.array(fc.tuple(word, fc.nat(quotings.length - 1)), { maxLength: 5 }),
  )
  .map(([name, words]) => ({
    argv: [name, ...words.map(([text]) => text)],
    text: [name, ...words.map(([text, how]) => quotings[how]?.(text) ?? "")].join(" "),
  }));

const fragment = fc.oneof(
  spelt.map(({ text }) => text),
  fc.constantFrom(...shellCases().map(({ cmd }) => cmd), ...Object.values(shellBypasses()).flat()),
);

it("what bash does not take is not read-only", { timeout: 120_000 }, () => {
  const broken = fc
    .tuple(
      fragment,
      fc.nat(40),
      fc.constantFrom("'", '"', "(", ")", "{", "}", "`", "$(", "<<", "<<E", "&&", "|", "\\", ";;", "&", ">", "", "\n"),
    )
    .map(([text, at, insert]) => text.slice(0, at) + insert + text.slice(at));
  fc.assert(
    fc.property(broken, (text) => {
      if (text.includes("\0") || analyse(text).verdict !== "readonly") return;
      const { status, stderr } = spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" });
      expect([status, stderr], text).toEqual([0, ""]);
    }),
    { numRuns: 600 },
  );
});

it("the words of the analysis are the words a program gets", { timeout: 120_000 }, () => {
  const chain = fc
    .array(fc.tuple(fragment, fc.constantFrom(" && ", "; ", "\n", " | ", " || ", " \\\n")), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.map(([text, joint], index) => (index === parts.length - 1 ? text : text + joint)).join(""));
  let compared = 0;
  fc.assert(
    fc.property(chain, (text) => {
      const analysis = analyse(text);
      const known = ["ls", "cat", "grep", "wc", "head", "sort", "which", "basename"];
      // Only what is known to read is run, and only when every program of it is a probe.
      if (analysis.verdict !== "readonly" || !analysis.parts.every(({ argv }) => known.includes(argv[0] ?? ""))) return;
      rmSync(seen, { force: true });
      execFileSync("/bin/bash", ["--noprofile", "--norc", "-c", `{ ${text}\n}; true`], {
        cwd: project.root,
        env: { PATH: probes },
        stdio: "ignore",
      });
      // The programs of a pipeline finish in any order, and what follows || may not run at all.
      const told = readFileSync(seen, "utf8")
        .split("\0\u0001\0")
        .filter((line) => line !== "")
        .map((line) => line.split("\0").map((each, index) => (index === 0 ? each.slice(probes.length + 1) : each)));
      const expected = analysis.parts.map(({ argv }) => [...argv]);
      compared++;
      for (const argv of told) expect(expected, text).toContainEqual(argv);
      if (!text.includes("||")) expect(told.length, text).toBe(expected.length);
    }),
    { numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(40);
});

it("joining a command with another never makes it milder", () => {
  fc.assert(
    fc.property(fragment, fragment, fc.constantFrom(" && ", "; ", " || ", "\n", " | "), (one, other, joint) => {
      // What ends in a comment, a here-document or an open quote takes the other into itself.
      if (/#|<<|\\$/.test(one)) return;
      // What is not whole by itself may become whole.
      if (analyse(one).parts.some(({ rule }) => rule === "syntax")) return;
      const joined = rank(analyse(one + joint + other));
      expect(joined, one + joint + other).toBeGreaterThanOrEqual(Math.min(2, rank(analyse(one))));
    }),
    { numRuns: 600 },
  );
});

it("spellings of one argument vector have one verdict", () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.constantFrom("ls", "cat", "grep", "git", "rm", "frobnicate"), fc.array(word, { maxLength: 4 })),
      ([name, words]) => {
        const spellings = quotings.map((quote) => [name, ...words.map((text) => quote(text))].join(" "));
        // Some spellings the grammar does not take, or reads otherwise than the second reader: those are never read-only.
        const taken = spellings
          .map((text) => analyse(text))
          .filter(({ parts }) => !parts.some(({ rule }) => /^syntax(:disagree)?$/.test(rule)));
        const verdicts = new Set(taken.map(rank));
        expect([...verdicts], spellings.join("\n")).toHaveLength(1);
      },
    ),
    { numRuns: 300 },
  );
});

it.each([
  ["1 MB of words", `echo ${"x ".repeat(500_000)}`],
  ["1 MB of one word", `echo ${"x".repeat(1_000_000)}`],
  ...["$(", "((", "{ ", "( ", '"$(', "`", "${x:-", "if ls; then ", "a=(", "<("].map((open) => [
    `10,000 times ${open}`,
    `echo ${open.repeat(10_000)}`,
  ]),
  ["10,000 nested substitutions", `echo ${"$(echo ".repeat(10_000)}x${")".repeat(10_000)}`],
  ["10,000 nested groups", `${"( ".repeat(10_000)}ls${" )".repeat(10_000)}`],
])("%s: an answer, and not read-only", (_, text) => {
  expect(analyse(text as string).verdict).not.toBe("readonly");
});

it("a chain of 5,000 commands is read to its end", () => {
  const { verdict, parts } = analyse(`${"true && ".repeat(5_000)}sudo id`);
  expect([verdict, parts.length]).toEqual(["never-auto", 5_002]);
});
