// The built-in tools in a directory of their own, called as dispatch calls them: parse, prepare, apply, on real ports.

import fs from "node:fs";
import { join } from "node:path";
import { ModelError } from "../../src/core/errors.js";
import type { JsonObject } from "../../src/core/json.js";
import type { Plan } from "../../src/core/plan.js";
import type { CallContext, PortName, ToolContext, ToolEntry, ToolResult } from "../../src/core/tool.js";
import { AgentClaims } from "../../src/files/claims/claims.js";
import { createFiles } from "../../src/files/door.js";
import { createSearch, createShell } from "../../src/harness/ports.js";
import { createCommands } from "../../src/harness/shell/commands.js";
import { nodeFs } from "../../src/lib/fs.js";
import { KnownSecrets } from "../../src/secrets/known.js";
import { builtinTools } from "../../src/tools/index.gen.js";
import { tempDir, unguarded } from "./run.js";

export interface Bench {
  root: string;
  at(name: string): string;
  text(name: string): string;
  plan(tool: string, input: JsonObject): Promise<Plan>;
  /** The second phase alone. */
  apply(tool: string, plan: Plan): Promise<ToolResult>;
  call(tool: string, input: JsonObject): Promise<ToolResult>;
  /** The text of the refusal or error; fails when there is none. */
  refusal(tool: string, input: JsonObject): Promise<ModelError>;
}

export function toolBench(content: Record<string, string> = {}, entries: readonly ToolEntry[] = builtinTools): Bench {
  const base = tempDir("cinch-tools-");
  const root = join(base, "project");
  fs.mkdirSync(root);
  for (const [name, text] of Object.entries(content)) {
    fs.mkdirSync(join(root, name, ".."), { recursive: true });
    fs.writeFileSync(join(root, name), text);
  }
  const call: CallContext = { signal: new AbortController().signal, call: "c1", progress: () => {} };
  const claims = new AgentClaims({
    root,
    dir: join(base, "claims"),
    agent: "main",
    session: "0123456789ab",
    now: Date.now,
    emit: () => {},
    record: () => {},
  });
  const ports = {
    claims,
    files: createFiles({ root, claims }),
    shell: createShell({
      root,
      cwd: root,
      env: { PATH: process.env["PATH"] ?? "" },
      commands: createCommands({ disk: nodeFs, root, env: process.env }),
      spillDir: join(base, "spill"),
      guard: unguarded,
      redactor: new KnownSecrets(),
    }),
    search: createSearch({ root, cwd: root, guard: unguarded }),
    catalog: {
      all: () => entries.map((entry) => entry.descriptor),
      find: (name: string) => entries.find((entry) => entry.descriptor.name === name)?.descriptor,
    },
  };
  // Tools that start tasks are tested through sessions: there is no port of theirs here.
  const context = { ...ports, ...call } as unknown as ToolContext<PortName>;
  const open = async (name: string) => {
    const entry = entries.find(({ descriptor }) => descriptor.name === name);
    if (!entry) throw new Error(`no tool ${name}`);
    return entry.load();
  };
  const plan = async (name: string, input: JsonObject) => {
    const tool = await open(name);
    return tool.prepare(tool.parse(input), context);
  };
  const apply = async (name: string, planned: Plan) => (await open(name)).apply(planned, context);
  const run = async (name: string, input: JsonObject) => apply(name, await plan(name, input));
  return {
    root,
    at: (name) => join(root, name),
    text: (name) => fs.readFileSync(join(root, name), "utf8"),
    plan,
    apply,
    call: run,
    async refusal(name, input) {
      const error = await run(name, input).then(
        (result) => new Error(`not refused: ${result.text}`),
        (thrown: unknown) => thrown,
      );
      if (error instanceof ModelError) return error;
      throw error;
    },
  };
}
