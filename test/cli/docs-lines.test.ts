// Every command line that a page shows is typed as it stands there, in a project that has what it speaks of, and ends as a
// reader expects. What a placeholder stands for, and what ends otherwise for want of a terminal or a server, is in tables here.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { usage } from "../../src/bench/options.js";
import { readArgs } from "../../src/cli/args.js";
import { commands } from "../../src/cli/commands/index.js";
import { type Flag, jsonFlag, runFlags, sharedFlags } from "../../src/cli/flags.js";
import { slashCommands } from "../../src/cli/slash/index.js";
import { page, tableOf } from "../house/pages.js";
import { jsonLines } from "../support/cli.js";
import { codeOf, commandLines, type DocLine, flagLines, guides, readings } from "../support/doc-lines.js";
import { type DocStage, docStage } from "../support/doc-stage.js";
import { needs } from "../support/needs.js";
import { root } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

const patient = { timeout: 300_000 };

/** What stands for something else: in lines that fit, the words and what is typed for them. The first that fits counts. */
const noNames = { session: "s", entry: "e", task: "t", build: "b" };

const stands = (names: DocStage["names"]): [fits: RegExp, words: string, typed: string][] => [
  [/cinch tasks|\/tasks/, "<id>", names.task],
  [/build --resume/, "<id>", names.build],
  [/./, "<id>", names.session],
  [/./, "2026-11-21-8nzb8f", names.build],
  [/./, "<session>", names.session],
  [/./, "<entry>", names.entry],
  [/./, "5t6y7u8i", names.entry],
  [/./, "<file>:<line>", "src/a.ts:12"],
  [/cinch import/, "<file>", "exported.jsonl"],
  [/formations/, "<file>", "team.yaml"],
  [/scripted/, "scripted/<file>", "scripted/scripted/script.json"],
  [/--plan/, "<file>", "plan.yaml"],
  [/--settings/, "<file>", "settings.json"],
  [/--json-schema/, "<file>", "answer.json"],
  [/export/, "<file>", "new.md"],
  [/./, "<file>", "new.jsonl"],
  [/./, "<dir>", "src"],
  [/./, "<spec.md>", "spec.md"],
  [/./, "<what>", "src/a.ts"],
  [/formations/, "<name>", "single-file"],
  [/--formation/, "<name>", "single-file"],
  [/./, "<name>", "red"],
  [/cinch <command>/, "<command> flags", "models --json"],
  [/cinch <command>/, "<command>", "models"],
  [/./, "<command>", "git status"],
  [/./, "'<rule>'", "'Bash(npm test)'"],
  [/./, "<rules>", "Read,Edit"],
  [/./, "<rule>", "Read"],
  [/./, "<figure>", "wall-300"],
  [/./, "<provider/model>", "anthropic/claude-sonnet-4-5"],
  [/-m provider\/model/, "provider/model", "anthropic/claude-sonnet-4-5"],
  [/./, "<prompt>", "go"],
  [/./, "<text>", "words"],
  [/./, "<byte>", "0"],
  [/./, "<n>", "3"],
  [/./, "<usd>", "2"],
  [/./, "<seconds>", "60"],
  [/--only/, "<task>", names.task],
  [/--only/, "<path>", "src/a.ts"],
  [/--only/, "<build id>", names.build],
  [/./, "…", "go"],
];

function typedOf(line: string, names: DocStage["names"]): string {
  let typed = line;
  for (const [where, words, meant] of stands(names)) if (where.test(line)) typed = typed.replaceAll(words, meant);
  const left = typed.match(/<[a-z][^<>\n]*>/i);
  if (left && !/<\(/.test(typed)) throw new Error(`nothing is known to stand for ${left[0]} in: ${line}`);
  return typed;
}

/** Lines that a page shows for a person who answers; a script says yes with a flag. */
const asks = /^cinch (?:build(?! --resume)|trust project|sessions delete)/;

/** Lines that are about the figures of an hour: they are read and not carried out. */
const long = /^cinch bench/;

/** Who is named without what it needs says so; the page speaks of the command. */
const named = /^cinch [a-z]+ (?:needs a|.* needs a)|^There is nothing to build\./;

/** What is not there when a line is typed in a test: another exit code than 0, with the words that say why. */
const otherwise: [line: RegExp, exit: number, says: RegExp][] = [
  [/^cinch attach/, 1, /^No process holds session/],
  [/^cinch permissions revoke/, 1, /^No answer that was kept is/],
  [/^cinch tasks resume/, 1, /Only what was interrupted goes on/],
  [/-m anthropic/, 3, /ANTHROPIC_API_KEY is not set/],
  [/^cinch build (?:"|spec)/, 1, /^There is no plan: |^Which formation fits was not found out: /m],
  [/^cinch build --plan/, 1, /denied because nobody could answer/],
];

/** Lines for a person in front of a terminal. */
const conversations = /^cinch(?: -c| -r <id>| "what to do")?$/;

/** Programs of projects that the pages tell of, and lines of node's own. */
const others = [
  ...["npm run dev", "npm publish", "npm test -- -u", "npm run build x", "npm run b*", "npm run lint", "npm exec"],
  ...["node --version", "node -e 0", "node …/cli.mjs"],
];

const lines = () => guides().flatMap(commandLines);

/** Each line once, with the first place that has it. */
function once<Line extends DocLine>(all: readonly Line[]): Line[] {
  return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at);
}

/** What is wrong with how a line ended, "" when nothing is. */
function wrongWith({ where, text }: DocLine, stage: DocStage): string {
  const yes = asks.test(text) && !text.includes("--yes") ? `${text} --yes` : text;
  const { exits, output } = stage.type(long.test(text) ? `${text} --help` : yes);
  const [, exit = 0, says = /(?:)/] = otherwise.find(([line]) => line.test(text)) ?? [];
  const well = exits.length > 0 && exits.every((code) => code === exit) && says.test(output);
  return well || (exits[0] === 2 && named.test(output))
    ? ""
    : `${where}: ${text} is exit ${exits}: ${output.slice(0, 300)}`;
}

test("each line of cinch runs as it stands in the page", patient, () => {
  const stage = docStage();
  const typed = once(
    lines()
      .filter(({ text }) => /\bcinch\b/.test(text) && !conversations.test(text))
      .flatMap(({ where, text }) => readings(text).map((line) => ({ where, text: typedOf(line, stage.names) }))),
  );
  expect(typed.length).toBeGreaterThan(60);
  expect(typed.map((line) => wrongWith(line, stage)).filter(Boolean)).toEqual([]);
});

needs("python3")("each line for a person begins a conversation", async () => {
  const stage = docStage();
  const talks = once(lines().filter(({ text }) => conversations.test(text)));
  expect(talks.map(({ text }) => text).sort()).toEqual(["cinch", 'cinch "what to do"', "cinch -c", "cinch -r <id>"]);
  for (const { text } of talks) {
    const program = ["bash", "-c", typedOf(text, stage.names)];
    const term = new TestTerminal([], { cwd: stage.project, home: stage.home, program, env: { PATH: stage.path } });
    await term.until("What is to be done?");
    term.type("/quit\r");
    expect([text, await term.done]).toEqual([text, 0]);
  }
});

test("each line of npm, npx and node names a script, a program and files that are there", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
  const own = ["npm ci", "npm test", "npm install -g ."];
  const typed = lines().flatMap(({ where, text }) => text.split(" && ").map((part) => ({ where, text: part })));
  const about = once(typed).filter(({ text }) => /(?:^| )(?:npm|npx|node) /.test(text) && !/\bcinch\b/.test(text));
  expect(about.length).toBeGreaterThan(15);
  const there = (text: string) => {
    const [program = "", name = "", ...more] = text.replace(/^(?:[A-Z_]+=\S+ )+/, "").split(" ");
    const files = more.filter((word) => /^[a-z].*\//.test(word)).every((word) => existsSync(join(root, word)));
    if (program === "npm")
      return (
        own.includes([program, name, ...more].join(" ")) ||
        (name === "run" && more[0] !== undefined && more[0] in scripts)
      );
    if (program === "npx") return existsSync(join(root, "node_modules/.bin", name)) && files;
    return existsSync(join(root, name));
  };
  const lost = about.filter(({ text }) => !others.includes(text) && !there(text));
  expect(lost).toEqual([]);
});

const flagsIn = (text: string) =>
  [...text.matchAll(/(?<![\w-])(?:--[a-z][a-zA-Z-]+|-[a-z](?![\w-]))/g)].map(([flag]) => flag);

/** The flags of the program (`""`) and of every command, by the tables that it goes by. */
async function flagTables(): Promise<Map<string, readonly Flag[]>> {
  const tables = new Map<string, readonly Flag[]>([["", runFlags.filter(({ later }) => !later)]]);
  for (const { name, load } of commands) if (load) tables.set(name, [...(await load()).flags, ...sharedFlags]);
  return tables;
}

const takes = (flags: readonly Flag[], words: readonly string[]): boolean => {
  try {
    return readArgs(words, flags).words.length === 0;
  } catch {
    return false;
  }
};

/** Flags of other programs, of slash commands, and one that is planned. */
const foreign = ["--inspect", "--liftoff-only", "--project", "--mcp-config", "--switch", "--explain"];

/** The benchmark reads its arguments by itself. */
const benchFlags: readonly Flag[] = [...usage.matchAll(/--([a-z]+)/g)].map(([, name = ""]) => ({
  ...{ name, kind: { is: name === "quick" ? "switch" : "text" }, doc: "" },
}));

test("each flag that is named alone is one of a command, with a value that it takes", async () => {
  const tables = [...(await flagTables()).values(), benchFlags];
  const spans = once(
    guides()
      .flatMap(flagLines)
      .flatMap(({ where, text }) => readings(text).map((line) => ({ where, text: line }))),
  ).filter(({ text }) => !flagsIn(text).some((flag) => foreign.includes(flag)));
  expect(spans.length).toBeGreaterThan(50);
  const wrong = spans.filter(({ text }) => {
    const [name = "", ...value] = typedOf(text, noNames).split(" ");
    const isNamed = (flag: Flag) => `--${flag.name}` === name || `-${flag.short}` === name;
    return !tables.some((flags) => flags.some(isNamed) && (value.length === 0 || takes(flags, [name, ...value])));
  });
  expect(wrong).toEqual([]);
});

test("the rows of docs/cli.md name all flags of a command and no others", async () => {
  const tables = (await flagTables()).set("bench", [...benchFlags, jsonFlag]);
  const named = new Map<string, string[]>();
  for (const [command = "", text = ""] of tableOf(page("docs/cli.md"), "## Commands")) {
    const name = /^`cinch ([a-z]+)/.exec(command)?.[1] ?? "";
    named.set(name, [...(named.get(name) ?? []), ...flagsIn(`${command} ${text}`)]);
  }
  expect([...named.keys()].sort()).toEqual(commands.map(({ name }) => name).sort());
  const everywhere = [...sharedFlags, jsonFlag].map(({ name }) => `--${name}`);
  const differ = commands.flatMap(({ name }) => {
    const told = named.get(name) ?? [];
    const has = (tables.get(name) ?? []).map((flag) => [`--${flag.name}`, `-${flag.short}`]);
    const lost = has.filter((forms) => !forms.some((form) => told.includes(form) || everywhere.includes(form)));
    const made = told.filter((flag) => !has.some((forms) => forms.includes(flag)));
    return lost.length + made.length === 0 ? [] : [{ name, lost, made }];
  });
  expect(differ).toEqual([]);
  expect(page("docs/cli.md").text).toContain("All but `completion` take `--json`");
  const silent = [...tables].filter(([name, flags]) => name && !flags.some((flag) => flag.name === "json"));
  expect(silent.map(([name]) => name)).toEqual(["completion"]);
});

/** Directories of a system, what `cinch attach` understands beside them, and a slip of the fingers that a page shows. */
const noSlash = [
  ...[
    "bin",
    "dev",
    "etc",
    "home",
    "lib",
    "nix",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
  ],
  ...["cancel", "answer", "cler"],
];

/** What a command says that is understood and finds nothing to do here: no plan, nothing that waits, no colours. */
const notNow = new RegExp(
  [
    ...[
      "^Which formation fits was not found out",
      "^No plan waits for an answer",
      "^The build \\S+ belongs to another session",
    ],
    ...["^Nothing here is known to be an application", "^No answer that was kept is", "is not a message of yours"],
    ...[
      "^Task \\w+ is succeeded",
      "^There is no such place in what waits",
      "^There is no message of yours",
      "^There is no entry",
    ],
    ...["^There are no colours here", "^/fork needs an entry"],
  ].join("|"),
);

test("each slash command is one, and answers what a page types", patient, () => {
  const stage = docStage();
  const spans = guides().flatMap((of) =>
    codeOf(of).filter(({ info, text }) => info === null && /^\/[a-z-]+(?: |$)/.test(text)),
  );
  const nameOf = (text: string) => /^\/([a-z-]+)/.exec(text)?.[1] ?? "";
  expect(spans.filter(({ text }) => ![...Object.keys(slashCommands), ...noSlash].includes(nameOf(text)))).toEqual([]);
  const typed = once(
    spans
      .filter(({ text }) => nameOf(text) in slashCommands && text !== "/queue <text>")
      .flatMap(({ where, text }) => readings(text).map((line) => ({ where, text: slashOf(line, stage) }))),
  );
  const last = (text: string) => Number(/^\/(?:clear|quit|resume)/.test(text)) + Number(text === "/quit");
  typed.sort((a, b) => last(a.text) - last(b.text));
  const input = typed.map(({ text }) => JSON.stringify({ type: "user", text })).join("\n");
  const { output } = stage.type("cinch -c --input-format stream-json --output-format stream-json 2>err", input);
  const answers = jsonLines(output).filter(({ type }) => type === "result");
  expect(answers.length).toBe(typed.length);
  const wrong = answers.filter(
    (answer) => answer["is_error"] && !notNow.test(String(answer["result"] || answer["detail"])),
  );
  expect(wrong).toEqual([]);
});

/** Placeholders of slash commands are written in capitals. */
function slashOf(line: string, stage: DocStage): string {
  const { names } = stage;
  const meant = {
    ID: /^\/tasks/.test(line)
      ? names.task
      : /^\/build/.test(line)
        ? names.build
        : /^\/resume/.test(line)
          ? names.session
          : names.entry,
    ...{
      TEXT: "words",
      NAME: /^\/formation/.test(line) ? "single-file" : /^\/theme/.test(line) ? "dark" : "red",
      COMMAND: "git status",
      RULE: "Bash(npm test)",
    },
    ...{
      FOCUS: "files",
      WHAT: "spec.md",
      "spec.md or what": "spec.md",
      FILE: "said.md",
      N: "1",
      M: "2",
      MODE: "auto",
      "PROVIDER/MODEL": stage.model,
      id: "",
    },
  };
  return line
    .replace(/<([^>]+)>/g, (whole, word: string) => (word === "id" ? `<ID>` : whole))
    .replace(/<([^>]+)>/g, (whole, word: string) => meant[word as keyof typeof meant] ?? whole);
}
