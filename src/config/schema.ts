// Every settings key there is, in one closed table (SPEC 2.13), and the two types that go with it.
// Invariant: a key that is not in the table is an error everywhere, and so is one that this version does not act on
// (`later`): a rule that is silently ignored would be a lie. Not here: reading files (load.ts), checking values (check.ts).

import type { Hook, HookEvent } from "../core/hook.js";
import { type Mode, type Profile, profiles, type RuleList } from "../core/policy.js";
import { deferredFamilies, type Family } from "../core/tool.js";
import { type Choice, legacyModeChoice, modeChoice } from "./choice.js";
import type { HookGroup } from "./hooks.js";
import type { PriceSetting, ProviderSetting, WindowSetting } from "./model-settings.js";
import { type UiSettings, uiRows } from "./ui.js";

export type OverwriteRule = "refuse" | "seen";

export type PlaceholderRule = "refuse" | "warn";

/** What a run goes by: all levels merged, defaults filled in. An absent limit is no limit. */
export interface Settings {
  model?: string;
  models: {
    local: boolean;
    fallback: string[];
    prices: Record<string, PriceSetting>;
    windows: Record<string, WindowSetting>;
    images: Record<string, boolean>;
    /** One member per provider, a `ProviderSetting`. */
    [provider: string]: unknown;
  };
  /** Rules as written, of all levels; where each is from: `Loaded.rules`. */
  permissions: { mode: Mode } & Record<RuleList, string[]>;
  /** Older names of permissions.mode, see load.ts. */
  permission_mode?: Mode;
  yolo_mode?: boolean;
  sandbox: SandboxSettings;
  env: { pass: string[]; block: string[] };
  tools: { profile: Profile; declare: Family[] };
  files: FileSettings;
  limits: Limits;
  loop: { threshold?: number; recoveries: number };
  /** Of all levels but the project's; where each is from: `Loaded.hooks`. */
  hooks: Hook[];
  hookRetries: number;
  context: { maxBytes: number };
  compaction: CompactionSettings;
  tasks: TaskSettings;
  ui: UiSettings;
  lsp: { wait_ms: number; disabled: string[] };
}

/** `parallel`: of each kind. `depth`: 1 = agents start no agents. `retention`: days. `maxBytes`: of what one command prints. */
export interface TaskSettings {
  parallel: number;
  depth: number;
  retention: number;
  resume: "ask" | "auto";
  wake: boolean;
  maxBytes: number;
}

/** `write`: further places that may be written. */
export interface SandboxSettings {
  mode: "auto" | "off";
  network: boolean;
  required: boolean;
  write: string[];
  read: string[];
}

/** `at`: share of the room that the window leaves for a request. `keep`: tokens. */
export interface CompactionSettings {
  at: number;
  keep: number;
}

/** Sizes in bytes: what is kept so that commands can be undone. */
export interface FileSettings {
  overwrite: OverwriteRule;
  placeholder: PlaceholderRule;
  /** For every model, for none, or for those whose id fits one of the patterns. */
  twoStage: boolean | string[];
  maxBytes: number;
  maxIgnoredBytes: number;
  maxSessionBytes: number;
  /** Files and directories. */
  maxEntries: number;
}

/** Money in US dollars, time and stall in seconds. */
export interface Limits {
  turns: number;
  calls?: number;
  tokens?: number;
  cost?: number;
  time?: number;
  stall: number;
  output?: number;
}

/** What one level may say: any part of the settings, as written in settings.json. */
export interface SettingsInput {
  model?: string;
  models?: {
    fast?: string;
    smart?: string;
    local?: boolean;
    fallback?: string[];
    prices?: Record<string, PriceSetting>;
    windows?: Record<string, WindowSetting>;
    images?: Record<string, boolean>;
    [provider: string]:
      | ProviderSetting
      | Record<string, PriceSetting>
      | Record<string, WindowSetting>
      | Record<string, boolean>
      | string[]
      | boolean
      | string
      | undefined;
  };
  permissions?: { mode?: Mode | "default" } & { [List in RuleList]?: string[] };
  permission_mode?: string;
  yolo_mode?: boolean;
  sandbox?: Partial<SandboxSettings>;
  env?: { pass?: string[]; block?: string[] };
  tools?: { profile?: Profile; declare?: Family[] };
  files?: Partial<FileSettings>;
  limits?: Partial<Limits>;
  loop?: { threshold?: number; recoveries?: number };
  hooks?: { [Event in HookEvent]?: HookGroup[] };
  hookRetries?: number;
  context?: { maxBytes?: number };
  compaction?: Partial<CompactionSettings>;
  tasks?: Partial<TaskSettings>;
  ui?: Partial<UiSettings>;
  lsp?: Partial<Settings["lsp"]>;
}

/** What a value must be. `number` and `integer` are within min..max, both included. */
export type Kind =
  | { is: "string" }
  | { is: "boolean" }
  | { is: "integer" | "number"; min: number; max?: number }
  | ({ is: "choice" } & Choice)
  /** `values`: the only ones it may hold. */
  | { is: "names"; values?: readonly string[] }
  /** Rules of one list; every level adds its own. */
  | { is: "rules"; list: RuleList }
  | { is: "hooks" }
  /** All (true), none (false), or patterns of model ids. */
  | { is: "models" }
  | { is: "price" }
  | { is: "window" }
  | { is: "json" };

export interface Row {
  /** Path in settings.json; `<…>` stands for any name. */
  path: readonly string[];
  kind: Kind;
  doc: string;
  /**
   * May a file of the project set it? `tighten`: only to something narrower than what the user has. `trusted`: it is
   * read and counts once its user has trusted it. Default: no.
   */
  project?: "tighten" | "trusted";
  /** Known, and not acted on by this version. */
  later?: true;
}

const integer: Kind = { is: "integer", min: 1 };
const amount: Kind = { is: "number", min: 0.000001 };
const size: Kind = { is: "integer", min: 0 };
const text: Kind = { is: "string" };
const rules = (list: RuleList): Kind => ({ is: "rules", list });

function row(path: string, kind: Kind, doc: string, more: Pick<Row, "project" | "later"> = {}): Row {
  return { path: path.split("."), kind, doc, ...more };
}

function later(path: string, doc: string): Row {
  return row(path, { is: "json" }, doc, { later: true });
}

const tighten = { project: "tighten" } as const;

export const rows: readonly Row[] = [
  row("$schema", text, "Address of the JSON Schema, for editors. Not read."),
  row("model", text, "Model to use, provider/model. Without it one is picked from the keys in the environment."),
  row("models.fast", text, "Model that agents mean by fast, provider/model."),
  row("models.smart", text, "Model that agents mean by smart."),
  row("models.local", { is: "boolean" }, "Use a local server that answers when there is no key, without asking."),
  row("models.fallback", { is: "names" }, "Models that go on with a run while those before them stay unavailable."),
  row("models.prices.<model>", { is: "price" }, "US dollars per million tokens, over the built-in catalogue."),
  row("models.windows.<model>", { is: "window" }, "Context window and longest reply in tokens, over the catalogue."),
  row("models.images.<model>", { is: "boolean" }, "Whether the model takes images, over the catalogue."),
  row("models.<provider>.baseUrl", text, "Address of the provider's API, over the environment's."),
  row("models.<provider>.apiKeyEnv", text, "Name of the environment variable that holds the key."),
  row("models.<provider>.apiKeyHelper", text, "Command that prints the key."),
  row("models.<provider>.options", { is: "json" }, "Options passed to the provider as they are."),
  row(
    "permissions.mode",
    { is: "choice", ...modeChoice },
    "What runs without asking: ask, acceptEdits (files), auto (files and commands) or plan (nothing is changed).",
  ),
  row("permissions.allow", rules("allow"), "Rules for what runs without asking.", { project: "trusted" }),
  row("permissions.ask", rules("ask"), "Rules for what is always asked about.", tighten),
  row("permissions.deny", rules("deny"), "Rules for what never runs.", tighten),
  row("permissions.protect", rules("protect"), "Paths that are only changed with a yes, in every mode.", tighten),
  row(
    "permission_mode",
    { is: "choice", ...legacyModeChoice },
    "Older name of permissions.mode, read when that is absent.",
  ),
  row("yolo_mode", { is: "boolean" }, "Older still: true is auto, false is ask; read when both modes are absent."),
  row(
    "sandbox.mode",
    { is: "choice", values: ["auto", "off"] },
    "Commands that nobody approved run in a sandbox where one works (auto), or never (off).",
  ),
  row("sandbox.network", { is: "boolean" }, "Whether commands in the sandbox reach the network."),
  row("sandbox.required", { is: "boolean" }, "Without a working sandbox no session is opened."),
  row("sandbox.write", { is: "names" }, "Further places that commands in the sandbox may write, also governing ones."),
  row("sandbox.read", { is: "names" }, "Further places that commands in the sandbox may read."),
  row("env.pass", { is: "names" }, "Environment variables that commands get although their names look like secrets."),
  row("env.block", { is: "names" }, "Environment variables that commands never get."),
  row("tools.profile", { is: "choice", values: profiles }, "Which tools there are, widest to narrowest.", tighten),
  row("tools.declare", { is: "names", values: deferredFamilies }, "Tool families declared in every request."),
  row(
    "files.overwrite",
    { is: "choice", values: ["refuse", "seen"] },
    "A write over an existing file: refuse it, or replace a file whose present content the model has seen as a whole.",
  ),
  row(
    "files.placeholder",
    { is: "choice", values: ["refuse", "warn"] },
    "A comment that replaces code (rest unchanged): refuse it the first time, or only warn.",
  ),
  row(
    "files.twoStage",
    { is: "models" },
    "Ask for the content of a file apart from the call, for models that break long text inside JSON.",
  ),
  row("files.maxBytes", size, "Largest file, in bytes, that is kept so that what a command does to it can be undone."),
  row("files.maxIgnoredBytes", size, "The same for files that .gitignore leaves out."),
  row("files.maxSessionBytes", size, "Most bytes a session keeps of files that commands may change."),
  row("files.maxEntries", integer, "Most files and directories that are looked at around commands."),
  row("limits.turns", integer, "Model requests in a run.", tighten),
  row("limits.calls", integer, "Tool calls in a run.", tighten),
  row("limits.tokens", integer, "Tokens in a run: sent, read from the cache and received.", tighten),
  row("limits.cost", amount, "US dollars in a run; needs a model whose price is known.", tighten),
  row("limits.time", amount, "Seconds in a run.", tighten),
  row("limits.stall", amount, "Seconds of silence within a reply before it counts as broken.", tighten),
  row("limits.output", integer, "Tokens received in a run.", tighten),
  row(
    "loop.threshold",
    { is: "integer", min: 2, max: 100 },
    "Equal rounds that count as a loop; without it 3, and 2 for small models.",
  ),
  row("loop.recoveries", { is: "integer", min: 0, max: 100 }, "Reminders before a loop ends the run."),
  row("hooks", { is: "hooks" }, "Commands that hear of events, and may forbid, change or add to what happens.", {
    project: "trusted",
  }),
  row("hookRetries", { is: "integer", min: 1, max: 100 }, "How often a hook may send the agent back to work in a run."),
  row("context.maxBytes", { is: "integer", min: 0 }, "Most bytes of instruction files (AGENTS.md) in the context."),
  row(
    "compaction.at",
    { is: "number", min: 0.1, max: 1 },
    "The conversation is compacted when this share of the window, without the room for a reply, is full.",
  ),
  row("compaction.keep", size, "Most tokens of the newest messages that a compaction keeps as they are."),
  row("tasks.parallel", { is: "integer", min: 1, max: 1_000 }, "Tasks of each kind at once, all sessions together."),
  row("tasks.depth", { is: "integer", min: 0, max: 10 }, "How deep agents may start agents; 0 = no agent is started."),
  row("tasks.retention", { is: "number", min: 0 }, "Days that a task and its output are kept after its end."),
  row(
    "tasks.resume",
    { is: "choice", values: ["ask", "auto"] },
    "Agents that were interrupted begin again when the user says so (ask), or with their session (auto).",
  ),
  row("tasks.wake", { is: "boolean" }, "A task that ends wakes an idle agent also when it was not waited for."),
  row("tasks.maxBytes", integer, "Most bytes a command in the background may print; a session four times that."),
  row("lsp.wait_ms", { is: "integer", min: 0, max: 30_000 }, "Milliseconds a turn waits for language servers, once."),
  row("lsp.disabled", { is: "names" }, "Language servers that are never started, by name; * is all of them."),
  ...uiRows,
  later("retention", "How long sessions are kept."),
];

/** `models.<provider>.baseUrl`: how a row's or a value's path is written for people. */
export function keyText(path: readonly string[]): string {
  return path.join(".");
}
