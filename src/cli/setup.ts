// From flags to what the SDK takes. Everything that can be wrong about flags together is found here, before anything
// is opened. Files named on the command line are found from where it was typed, not from --cwd.

import { resolve } from "node:path";
import type { SettingsInput } from "../config/schema.js";
import { codeOf, UserError } from "../core/errors.js";
import type { JsonSchema } from "../core/json.js";
import type { Mode, Profile } from "../core/policy.js";
import type { HarnessOptions, OpenOptions } from "../index.js";
import { nodeFs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import type { CommandLine, Values } from "./args.js";
import type { OutputFormat } from "./flags.js";

export interface Setup {
  /** As given; what is piped comes on top. Undefined: only what is piped. */
  prompt: string | undefined;
  output: OutputFormat;
  /** Control lines on stdin. */
  control: boolean;
  verbose: boolean;
  color: boolean;
  harness: HarnessOptions;
  open: OpenOptions;
}

/** Throws UserError, exit 2. */
export function setupOf(line: CommandLine, interactive = false): Setup {
  const { values } = line;
  const control = values.text("input-format") === "stream-json";
  const output = (values.text("output-format") ?? "text") as OutputFormat;
  if (control && output !== "stream-json" && output !== "events") {
    throw new UserError(
      `--input-format stream-json cannot be used with --output-format ${output}: there would be nowhere to ask and to answer.`,
      "Use --output-format stream-json or --output-format events.",
    );
  }
  return {
    prompt: promptOf(line, control, interactive),
    output,
    control,
    verbose: values.has("verbose"),
    color: !values.has("no-color") && !process.env["NO_COLOR"],
    harness: harnessOptions(values, control || interactive),
    open: openOptions(values),
  };
}

function promptOf({ values, words }: CommandLine, control: boolean, interactive: boolean): string | undefined {
  const given = values.text("print");
  if (!values.has("print") && !control && !interactive) {
    throw new UserError(
      words.length > 0 ? "Nobody is there to talk to: this is no terminal." : "There is no prompt.",
      'Use -p: cinch -p "what to do". `cinch --help` lists the rest.',
    );
  }
  const all = given === undefined ? words : [given, ...words];
  if (all.length > 1) {
    const flagged = given?.startsWith("-") ? " The argument after -p is the prompt, whatever it looks like." : "";
    throw new UserError(
      `The prompt must be one argument, and these are ${all.length}: ${all
        .slice(0, 3)
        .map((word) => JSON.stringify(word))
        .join(" ")}${all.length > 3 ? " …" : ""}.`,
      `Put it in quotes.${flagged}`,
    );
  }
  return all[0];
}

function openOptions(values: Values): OpenOptions {
  const id = values.text("resume");
  if (id !== undefined && values.has("continue")) {
    throw new UserError("--continue and --resume name two different sessions.", "Give one of them.");
  }
  const fork = values.text("fork");
  const resume = id ?? (values.has("continue") || fork !== undefined ? true : undefined);
  return { ...(resume === undefined ? {} : { resume }), ...(fork === undefined ? {} : { fork }) };
}

function harnessOptions(values: Values, control: boolean): HarnessOptions {
  const options: HarnessOptions = { cwd: workingDirectory(values), settings: settingsOf(values) };
  const model = modelOf(values);
  const settingsFile = pathOf(values, "settings");
  const record = pathOf(values, "record");
  const appendSystemPrompt = values.text("append-system-prompt");
  const schema = pathOf(values, "json-schema");
  if (model !== undefined) options.model = model;
  if (settingsFile !== undefined) options.settingsFile = settingsFile;
  if (record !== undefined) options.record = record;
  if (values.text("replay-speed") === "1") options.replaySpeed = 1;
  if (appendSystemPrompt !== undefined) options.appendSystemPrompt = appendSystemPrompt;
  if (schema !== undefined) Object.assign(options, { jsonSchema: readSchema(schema), jsonSchemaFile: schema });
  if (values.has("trust")) options.trust = true;
  if (control) options.answerable = true;
  const dirs = values.list("add-dir").map((dir) => existingDirectory("--add-dir", resolve(dir)));
  if (dirs.length > 0) options.addDirs = dirs;
  return options;
}

/** A script or cassette is a file of the command line like any other; where it is not, it is looked for in --cwd. */
function modelOf(values: Values): string | undefined {
  const model = values.text("model");
  const [, provider, file] = /^(scripted|cassette)\/(.+)$/s.exec(model ?? "") ?? [];
  if (file === undefined || !values.has("cwd")) return model;
  const typed = resolve(file);
  return nodeFs.existsSync(typed) ? `${provider}/${typed}` : model;
}

/** Of the flags that are settings, those that were given. */
export function settingsOf(values: Values): SettingsInput {
  const settings: SettingsInput = {};
  const mode = values.text("permission-mode");
  const profile = values.text("tools");
  const allow = ruleFlags(values, "allow", "allowedTools");
  const deny = ruleFlags(values, "deny", "disallowedTools");
  if (mode !== undefined) settings.permissions = { mode: mode as Mode };
  if (allow.length > 0) settings.permissions = { ...settings.permissions, allow };
  if (deny.length > 0) settings.permissions = { ...settings.permissions, deny };
  if (profile !== undefined) settings.tools = { profile: profile as Profile };
  const limits: NonNullable<SettingsInput["limits"]> = {};
  for (const [flag, key] of limitFlags) {
    const limit = values.number(flag);
    if (limit !== undefined) limits[key] = limit;
  }
  if (Object.keys(limits).length > 0) settings.limits = limits;
  return settings;
}

/** `--allow` takes one rule; its alias takes several, with commas or blanks between them, as other tools write it. */
function ruleFlags(values: Values, flag: string, alias: string): string[] {
  const several = values.list(alias).flatMap((list) => list.match(/(?:[^\s,()]|\([^)]*\))+/g) ?? [list]);
  return [...values.list(flag), ...several];
}

const limitFlags = [
  ["max-turns", "turns"],
  ["max-tool-calls", "calls"],
  ["max-tokens", "tokens"],
  ["max-cost", "cost"],
  ["max-time", "time"],
] as const;

/** The directory of --cwd, or where the command was typed; absolute. */
export function workingDirectory(values: Values): string {
  const named = values.text("cwd");
  if (named !== undefined) return existingDirectory("--cwd", resolve(named));
  try {
    return process.cwd();
  } catch {
    throw new UserError(
      "The current directory does not exist any more.",
      "Change to another one, or name one with --cwd.",
    );
  }
}

function existingDirectory(flag: string, path: string): string {
  let found: boolean;
  try {
    found = nodeFs.statSync(path).isDirectory();
  } catch (error) {
    throw new UserError(`${flag}: ${path} ${fault(error)}.`, "Name a directory that exists.");
  }
  if (!found) throw new UserError(`${flag}: ${path} is not a directory.`, "Name a directory.");
  return path;
}

function readSchema(path: string): JsonSchema {
  let text: string;
  try {
    text = nodeFs.readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`--json-schema: ${path} ${fault(error)}.`, "Name a file with a JSON Schema.");
  }
  const schema = parseJson(text);
  if (!isObject(schema))
    throw new UserError(`--json-schema: ${path} is not a JSON object.`, "Write a JSON Schema into it.");
  return schema;
}

function fault(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "does not exist";
  if (code === "EACCES" || code === "EPERM") return "cannot be read: permission denied";
  return `cannot be read (${code ?? "unknown error"})`;
}

/** The absolute path of a flag that names a file. */
export function pathOf(values: Values, name: string): string | undefined {
  const path = values.text(name);
  return path === undefined ? undefined : resolve(path);
}
