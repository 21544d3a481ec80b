// A tool: its descriptor (data, known before its code is loaded) and its two phases.
// Invariant: shared code asks the descriptor and the plan; nobody branches on a tool's name (DESIGN §1.5).
// A tool is one file in tools/ with `export default defineTool({...})`; the index is generated from the folder.

import { Refusal } from "./errors.js";
import type { JsonObject, JsonSchema } from "./json.js";
import type { Effect, FileChange, Plan, View } from "./plan.js";
import type { Ports } from "./ports.js";

/** What a tool does, in one word; refusals name tools by verb. */
export type Verb =
  | "create"
  | "append"
  | "edit"
  | "delete"
  | "read"
  | "search"
  | "find"
  | "list"
  | "run"
  | "claim"
  | "start"
  | "watch"
  | "cancel"
  | "announce"
  | "ask"
  | "plan"
  | "door";

/** The text to replace; that all of it is meant; the first line, and how many; the size a file must have. */
export type Term = "old" | "all" | "from" | "count" | "size";

/** Reached through the door, unless `tools.declare` declares them. */
export const deferredFamilies = ["background", "agents", "lsp", "plan", "skills", "claims", "mcp"] as const;

/** `core` is always declared. */
export type Family = "core" | (typeof deferredFamilies)[number];

export type PortName = keyof Ports;

export interface ToolDescriptor {
  name: string;
  verb: Verb;
  /** The name that rules and hooks of other harnesses use (`Write`, `Bash`, …); null = none. */
  alias: string | null;
  family: Family;
  /** Place in the generated list; tools without one follow by name. */
  order?: number;
  /** Every effect a plan of this tool can have (see `mayRead`); a profile declares a tool when it allows one of them. */
  effects: readonly Effect[];
  /** A plan of it can turn out to be a read: a profile that reads permits that, though it does not declare the tool. */
  mayRead?: true;
  needs: readonly PortName[];
  description: string;
  input: JsonSchema;
  /** Other names that a call of it is understood by; nobody is told of them. */
  aka?: readonly string[];
  /** What its arguments are called that a refusal may advise, by what they are for (SPEC 1.24). */
  terms?: Readonly<Partial<Record<Term, string>>>;
  /** It looks at what goes on by itself: to ask again is no loop until it has been the same for long. */
  polls?: true;
  /** The text member of the input of which whole lines are kept when a reply is cut inside it. */
  salvage?: string;
  /** A call may come without the `salvage` member; it is then asked for in a reply of its own (see `textApart`). */
  apart?: true;
}

/** The descriptor under `files.twoStage`: what `salvage` names may be left out, and the description asks for that. */
export function textApart(descriptor: ToolDescriptor): ToolDescriptor {
  const { salvage: text, description, input } = descriptor;
  if (text === undefined) return descriptor;
  const required = Array.isArray(input["required"]) ? input["required"].filter((name) => name !== text) : [];
  return {
    ...descriptor,
    description: `${description} Leave ${text} out: you are then asked for it as a plain reply.`,
    input: { ...input, required },
    apart: true,
  };
}

/** What a model is to send that called without its text. */
export interface Wanted {
  /** `the whole content of src/a.ts`. */
  what: string;
  /** What it has to fit to, in lines of their own. */
  after?: string;
  /** Its first characters may go on in a line that is there. */
  inLine?: boolean;
}

export type CallStatus = "ok" | "error" | "denied" | "conflict" | "cancelled" | "not_run" | "unknown";

export interface ToolResult {
  status: "ok" | "error" | "conflict" | "cancelled";
  /** What the model reads. */
  text: string;
  view?: View;
  /** Machine-readable facts for scripts and later tools. */
  data?: JsonObject;
  /** Paths changed, and paths whose content was seen (`before === after`). */
  files?: readonly FileChange[];
  exit?: number | null;
  /** What a command printed, each output by itself: for hooks, kept nowhere. */
  streams?: { stdout: string; stderr: string };
}

/** Beside its declared ports a tool gets these. */
export interface CallContext {
  /** Aborted when the call is cancelled; a tool must then settle within 200 ms. */
  signal: AbortSignal;
  /** The call's id, unique in the session. */
  call: string;
  /** The reply was cut inside this call: its text is a beginning and must not take the place of anything whole. */
  cut?: true;
  /** A person said yes to exactly this plan, or wrote a rule that names it: what it runs is not confined. */
  byHand?: true;
  /** A hook hears of its result. */
  heard?: true;
  /** Puts a question to the user; null = left open. Absent: nobody can answer. */
  ask?(question: string, answers: readonly string[]): Promise<string | null>;
  /** A line of live output for the screen; not kept. */
  progress(line: string): void;
}

export type ToolContext<Need extends PortName = never> = Pick<Ports, Need> & CallContext;

/** A call as hooks know it that were written for other agents (SPEC 2.7). Without one: its own fields, and the text. */
export interface HookView<Data = unknown> {
  /** The input in their fields. Paths are canonical. */
  to(input: JsonObject, plan: Plan<Data>): JsonObject;
  /** Back again; throws a Refusal for what cannot be meant. */
  from(rewritten: JsonObject, plan: Plan<Data>): JsonObject;
  /** What it answered; default `{text}`. */
  response?(result: HookedResult, plan: Plan<Data>): JsonObject;
}

export type HookedResult = Pick<ToolResult, "text" | "exit" | "streams"> & { status: CallStatus };

export interface Tool<Input = unknown, Data = unknown, Need extends PortName = PortName> extends ToolDescriptor {
  /** Checks and types raw arguments; throws a Refusal naming the field and what is valid. */
  parse(input: JsonObject): Input;
  prepare(input: Input, ctx: ToolContext<Need>): Promise<Plan<Data>> | Plan<Data>;
  apply(plan: Plan<Data>, ctx: ToolContext<Need>): Promise<ToolResult> | ToolResult;
  /**
   * Only with `salvage`, for a call without its text: what to ask for. `plan` is that of the call with an empty text;
   * whatever can be refused without the text and was not, is refused here. null: the call has its text already.
   */
  wanted?(plan: Plan<Data>): Wanted | null;
  hook?: HookView<Data>;
  /** Only for doors: the call this one stands for, or null to run the door itself. */
  unwrap?(input: Input): { tool: string; input: JsonObject } | null;
}

/** A tool in a catalogue: descriptor at once, code on first use. */
export interface ToolEntry {
  descriptor: ToolDescriptor;
  load(): Promise<Tool>;
}

/** Anything with zod's `safeParse`; kept structural so that core/ depends on no library. */
export interface InputSchema<Input> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: Input }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
}

export interface ToolDefinition<Input, Data, Need extends PortName>
  extends Omit<Tool<Input, Data, Need>, "input" | "parse" | "needs"> {
  needs: readonly Need[];
  /** A zod schema; its JSON Schema is generated at build (`npm run manifest`). */
  input: InputSchema<Input>;
}

/** What `defineTool` returns: the tool, still with its schema, so that the manifest can render it. */
export type DefinedTool<Input, Data, Need extends PortName> = Omit<Tool<Input, Data, Need>, "input"> & {
  schema: InputSchema<Input>;
};

/**
 * Makes a tool of a definition: `parse` from the schema, everything else as given.
 * The JSON Schema is added by the catalogue (`tools/index.gen.ts` or `toolEntry` for tools made at run time).
 */
export function defineTool<Input, Data, Need extends PortName = never>(
  definition: ToolDefinition<Input, Data, Need>,
): DefinedTool<Input, Data, Need> {
  const { input: schema, ...rest } = definition;
  return Object.assign(rest, { schema, parse: (value: JsonObject) => parseInput(definition.name, schema, value) });
}

function parseInput<Input>(tool: string, schema: InputSchema<Input>, value: JsonObject): Input {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.map(String).join(".") || "input"}: ${issue.message}`);
  throw new Refusal("input", `${tool} was not run, its input does not fit: ${issues.join("; ")}.`);
}
