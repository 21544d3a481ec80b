// Projects with language servers in them: real ones from node_modules, and one that plays a part (test/data/lsp).

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { root } from "./run.js";
import { resultText, type Stage, stage } from "./stage.js";
import type { WireReply } from "./wire/anthropic.js";

/** A server of this project's own node_modules. */
export function serverProgram(name: string): string {
  return join(root, "node_modules", ".bin", name);
}

export interface Part {
  faults?: Record<
    string,
    | "crash"
    | "silence"
    | "garbage"
    | "collide"
    | "late"
    | "refuse"
    | "flood"
    | "giant"
    | "endless"
    | "overtaken"
    | "retry"
  >;
  /** A fault strikes only once unless this is false. */
  once?: false;
  versioned?: false;
  pull?: true;
  diagnosticsMs?: number;
  encoding?: "utf-8" | "utf-16" | "utf-32";
  many?: number;
  /** What it answers, by method; `$ROOT` is the URI of the root. */
  results?: Record<string, unknown>;
  /** Messages of its own after each text that it is shown. */
  says?: readonly object[];
  /** Milliseconds for which it knows nothing of its project. */
  loads?: number;
  /** It does not end by itself. */
  stays?: true;
}

export type ServerEntries = Record<string, object>;

/** An entry of lsp.json that starts the scripted server for *.def files. `log`: what it hears. */
export function scripted(log: string, part: Part = {}): ServerEntries {
  const program = join(root, "test/data/lsp/scripted-server.mjs");
  const command = [process.execPath, program, JSON.stringify({ log, ...part })];
  return { scripted: { command, extensions: [".def"], settings: { scripted: { answer: 42 } } } };
}

/** What the scripted server heard, oldest first. */
export function heard(log: string): Heard[] {
  if (!existsSync(log)) return [];
  const text = readFileSync(log, "utf8");
  // The last line may be on its way.
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Heard);
}

/** One line of its log. */
interface Heard {
  method?: string;
  params?: unknown;
  started?: number;
  key?: string | null;
  answer?: unknown;
  published?: string;
  version?: number;
}

export interface LspStage extends Stage {
  log: string;
}

/** A project with files, a user's lsp.json, and a model that plays a script. */
export async function lspStage(
  files: Record<string, string>,
  entries: ServerEntries | ((log: string) => ServerEntries) | null,
  script: WireReply[],
): Promise<LspStage> {
  const staged = await stage(script);
  writeProject(staged.root, files);
  mkdirSync(staged.home, { recursive: true });
  const log = join(dirname(staged.root), "server.jsonl");
  const named = typeof entries === "function" ? entries(log) : entries;
  if (named) writeFileSync(join(staged.home, "lsp.json"), JSON.stringify(named));
  return { ...staged, log };
}

export function writeProject(directory: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

/** Settings under which the servers of lsp.json are used, and no others. */
export const withServers = { permissions: { mode: "auto" }, lsp: { disabled: [] as string[] } } as const;

/** One call a request, and then the end; `results()` are what the model read of them. */
export function callsInTurn(calls: { name: string; input: object }[]): WireReply[] {
  return [...calls.map(({ name, input }, at) => ({ calls: [{ id: `toolu_${at}`, name, input }] })), { text: "done" }];
}

export function resultsOf({ bodies }: Stage, count: number): string[] {
  const last = bodies().at(-1);
  expect(last).toBeDefined();
  return Array.from({ length: count }, (_, at) => resultText(last, `toolu_${at}`));
}

/** What the harness said to the model beside results, in the last request. */
export function remarksOf({ bodies }: Stage): string[] {
  const blocks =
    bodies()
      .at(-1)
      ?.messages.flatMap(({ role, content }) => (role === "user" ? content : [])) ?? [];
  return blocks.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
}
