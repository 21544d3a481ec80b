// A session with hooks: settings of the user or the project, and a place outside of the project where hooks leave what they
// were told.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createHarness, type HarnessOptions, type Result } from "../../src/index.js";
import { root as repository } from "./run.js";
import { resultText, type Stage, stage } from "./stage.js";

export interface HookLine {
  command: string;
  matcher?: string;
  timeout?: number;
  failClosed?: boolean;
  args?: string[];
}

export type HookTable = Record<string, HookLine[]>;
export type Call = { id: string; name: string; input: object };

export interface HookStage extends Stage {
  put(name: string, text: string): void;
  text(name: string): string;
  has(name: string): boolean;
  /** The payloads that `tell(name)` hooks got. */
  heard(name?: string): Record<string, unknown>[];
  /** What the model read as the result of the n-th call. */
  told(n: number): string;
  go(options?: Partial<HarnessOptions>): Promise<Result>;
  /** Trusts what is there now. */
  trust(): Promise<void>;
}

export const write = (path: string, content = "x\n"): Call => ({
  id: "w",
  name: "write_file",
  input: { path, content },
});
export const run = (command: string): Call => ({ id: "r", name: "run_command", input: { command } });

/** One run over these calls, each in a message of its own; hooks of the user and of the project. */
export async function hookStage(calls: Call[], user: HookTable = {}, project: HookTable = {}): Promise<HookStage> {
  const set = await stage([...calls.map((call) => ({ calls: [call] })), { text: "done" }]);
  const base = dirname(set.root);
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(set.root, name)), { recursive: true });
    writeFileSync(join(set.root, name), text);
  };
  mkdirSync(set.home, { recursive: true });
  const filled = (table: HookTable) => JSON.stringify({ hooks: groups(table, base) });
  if (Object.keys(user).length > 0) writeFileSync(join(set.home, "settings.json"), filled(user));
  if (Object.keys(project).length > 0) put(".cinch/settings.json", filled(project));
  return {
    ...set,
    put,
    text: (name) => readFileSync(join(set.root, name), "utf8"),
    has: (name) => existsSync(join(set.root, name)),
    heard(name = "heard") {
      const file = join(base, name);
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    told: (n) => resultText(set.bodies()[n + 1], calls[n]?.id ?? ""),
    async go(options = {}) {
      const session = await set.open(options);
      const result = await session.send("go");
      await session.close();
      return result;
    },
    async trust() {
      const { trust } = createHarness({ cwd: set.root, home: set.home });
      await trust.approve(await trust.status());
    },
  };
}

/** A hook that writes its payload down, and then goes on with `then`. */
export function tell(then = "", name = "heard"): string {
  return `cat >>"$CINCH_PROJECT_DIR/../${name}"; ${then}`;
}

/** A hook that answers. */
export function say(answer: object): string {
  return `printf '%s' '${JSON.stringify(answer).replaceAll("'", "'\\''")}'`;
}

/** A hook whose answer is about one event. */
export function specific(fields: object, event = "PreToolUse"): string {
  return say({ hookSpecificOutput: { hookEventName: event, ...fields } });
}

/** A hook that decides about a call. */
export function decision(permissionDecision: string, more: object = {}): string {
  return specific({ permissionDecision, ...more });
}

/** A script as somebody wrote it for another agent. */
export const hookScript = (name: string) => join(repository, "test/data/hooks", name);

function groups(table: HookTable, base: string): object {
  const group = ({ matcher, ...hook }: HookLine) => ({
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: "command", ...hook, command: hook.command.replaceAll("BASE", base) }],
  });
  return Object.fromEntries(Object.entries(table).map(([event, lines]) => [event, lines.map(group)]));
}
