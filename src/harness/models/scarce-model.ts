// Where a model or its key comes from when neither a name nor a key is at hand: a local server, the user's own command, or an error
// that gives the shortest ways to get one (CONTRACT §1). Loaded for that alone.

import { homedir } from "node:os";
import type { Settings } from "../../config/schema.js";
import { UserError } from "../../core/errors.js";
import { discoverLocal } from "../../models/discover.js";
import { knownSecrets } from "../../secrets/known.js";
import { loadProcess } from "../lazy.js";
import type { ModelChoice } from "./model.js";

/** Local servers are looked for only when no key exists; headless runs are told what to type (SPEC 1.22). */
export async function localModel({ models }: Settings): Promise<{ id: string; source: string }> {
  const found = await discoverLocal();
  const [first] = found;
  if (first && models.local) return { id: first.id, source: `local server ${first.baseUrl}` };
  if (first) {
    const ways = found.slice(0, 3).map((server) => `-m ${server.id}`);
    throw new UserError(
      "No model is named and no key is set, but a local model server answers.",
      `Run again with ${ways.join(" or ")}, or set models.local to true in your settings.`,
      3,
    );
  }
  throw new UserError(
    "No model: none is named, no key is set, and no local model server answers.",
    [
      "The three shortest ways to get one:",
      "  export ANTHROPIC_API_KEY=…   (or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY)",
      "  ollama serve                 and name its model with -m openai-compatible/<model>",
      "  cinch                        in a terminal: asks for a key and keeps it in keys.json beside your settings",
    ].join("\n"),
    3,
  );
}

/** The user's own command (`apiKeyHelper`), run by a plain shell outside the project; what it prints is the key. */
export async function runHelper(
  command: string,
  { env, supervision }: Pick<ModelChoice, "env" | "supervision">,
): Promise<string> {
  await supervision.hide();
  const { runProgram } = await loadProcess();
  const set = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const printed: Buffer[] = [];
  const { exit, stderr } = await runProgram("/bin/sh", ["-c", command], {
    cwd: homedir(),
    env: Object.fromEntries(set),
    signal: AbortSignal.timeout(30_000),
    onChunk: (chunk) => printed.push(chunk) < 1_000,
  });
  const key = Buffer.concat(printed).toString("utf8").trim();
  knownSecrets.learn("apiKeyHelper", key);
  if (exit === 0) return key;
  const why = stderr.trim().split("\n").at(-1) || `exit code ${exit}`;
  throw new UserError(
    `The command in apiKeyHelper failed: ${why}.`,
    "Run it by hand, or put the key into the environment.",
    3,
  );
}
