// Commands in a real bubblewrap, through the public face: what the model is told of them, and what they left on the disk.

import { mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import type { HarnessOptions } from "../../src/index.js";
import { needs } from "./needs.js";
import { resultText, type Stage, stage } from "./stage.js";

export const sandboxed = needs("bwrap", "python3");

export type Settings = NonNullable<HarnessOptions["settings"]>;

export interface Played extends Stage {
  /** What the model read as the result of each command. */
  told: string[];
  text(path: string): string;
}

interface Set {
  mode?: "ask" | "acceptEdits" | "auto";
  settings?: Settings;
  files?: Record<string, string>;
  links?: Record<string, string>;
  options?: Partial<HarnessOptions>;
  /** The home directory, below the project or absolute. */
  home?: string;
  /** Where the scripts and files go, when not into the stage's own project. */
  at?: string;
  /** Is there a `.git` (the default)? */
  repository?: boolean;
}

/** Runs the commands one after the other. Each stands in a script, so that its analysis does not see what it does. */
export async function play(commands: readonly string[], set: Set = {}): Promise<Played> {
  const at = await stage([
    ...commands.map((_, i) => ({
      calls: [{ id: `c${i}`, name: "run_command", input: { command: `bash ./c${i}.sh` } }],
    })),
    { text: "done" },
  ]);
  if (set.repository === false) rmdirSync(join(at.root, ".git"));
  const root = set.at ?? at.root;
  for (const [i, command] of commands.entries()) put(root, `c${i}.sh`, command);
  for (const [path, text] of Object.entries(set.files ?? {})) put(root, path, text);
  for (const [path, target] of Object.entries(set.links ?? {})) symlinkSync(target, join(root, path));
  const { mode = "auto", settings = {}, options = {} } = set;
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: at.server.url, PATH: process.env["PATH"] };
  const home = set.home === undefined ? {} : { HOME: resolve(at.root, set.home) };
  const session = await at.open({
    settings: { sandbox: { mode: "auto" }, permissions: { mode }, ...settings },
    env: { ...env, ...home },
    ...options,
  });
  expect(session.init.sandbox).toBe("full");
  await session.send("go");
  const told = commands.map((_, i) => resultText(at.bodies()[i + 1], `c${i}`));
  await session.close();
  expect(at.events.filter((event) => event.type === "notice" && event.code === "sandbox")).toEqual([]);
  return { ...at, told, text: (path) => readFileSync(join(root, path), "utf8") };
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
