// The tools of one session: which the profile allows, which are declared, and the ports each of them gets.
// Invariant: a tool outside the profile is neither declared nor found to be allowed; asking for it still finds its
// descriptor, so that the refusal can say why instead of pretending that the tool does not exist. Agents of one session
// declare the same tools, and each is allowed its own.

import type { Toolbox } from "../agent/ports.js";
import type { ModelFacts } from "../core/model.js";
import type { Effect } from "../core/plan.js";
import type { Ports } from "../core/ports.js";
import {
  type CallContext,
  type Family,
  type PortName,
  type Tool,
  type ToolContext,
  type ToolDescriptor,
  type ToolEntry,
  textApart,
  type Verb,
} from "../core/tool.js";
import { permits } from "../permission/profile.js";
import type { Surroundings } from "./surroundings.js";

export interface ToolboxOptions {
  entries: readonly ToolEntry[];
  /** Tools that have one of these are declared. */
  effects: readonly Effect[];
  /** May it be used? Of what is declared a session may be denied some; never more is allowed than is known. */
  allows(tool: ToolDescriptor): boolean;
  /** The model's window has no room for more than what every task needs. */
  slim: boolean;
  /** Families declared beside `core`; the rest is reached through the door. */
  declare: readonly Family[];
  /** Calls may leave out the text that their tool takes (`files.twoStage`). */
  apart: boolean;
  /** The ports for one call, none but the needed ones. */
  ports(needs: readonly PortName[], call: CallContext): Promise<Partial<Ports>>;
}

/** Of the core, in a window of this many tokens or less (SPEC 1.28). */
const needed: readonly Verb[] = ["create", "append", "edit", "read", "search", "find", "run"];
const slimWindow = 32_768;

export function isSlim({ window }: ModelFacts): boolean {
  return window <= slimWindow;
}

export class SessionTools implements Toolbox {
  readonly descriptors: readonly ToolDescriptor[];
  /** Those that the model can reach: what refusals may name. */
  readonly advised: readonly ToolDescriptor[];
  /** What requests declare, in wire order. */
  readonly declared: readonly ToolDescriptor[];
  /** Families that are allowed and not declared. */
  readonly deferred: readonly ToolDescriptor[];
  readonly #byName: ReadonlyMap<string, ToolEntry>;
  readonly #byOtherName: ReadonlyMap<string, ToolEntry>;
  readonly #loaded = new Map<string, Promise<Tool>>();
  readonly #options: ToolboxOptions;

  constructor(options: ToolboxOptions) {
    this.#options = options;
    const entries = options.apart
      ? options.entries.map((entry) => ({ descriptor: textApart(entry.descriptor), load: () => entry.load() }))
      : options.entries;
    this.#byName = new Map(entries.map((entry) => [entry.descriptor.name, entry]));
    this.#byOtherName = new Map(entries.flatMap((entry) => (entry.descriptor.aka ?? []).map((name) => [name, entry])));
    const all = entries.map((entry) => entry.descriptor);
    this.descriptors = all.filter((tool) => options.allows(tool));
    const known = all.filter((tool) => permits(options.effects, tool.effects));
    const isCore = ({ family, verb }: ToolDescriptor) => family === "core" && (!options.slim || needed.includes(verb));
    const isDeclared = (tool: ToolDescriptor) => isCore(tool) || options.declare.includes(tool.family);
    this.declared = known.filter(isDeclared);
    this.deferred = options.slim ? [] : known.filter((tool) => !isDeclared(tool));
    this.advised = options.slim ? this.descriptors.filter(isDeclared) : this.descriptors;
  }

  find(name: string): ToolDescriptor | undefined {
    return (this.#byName.get(name) ?? this.#byOtherName.get(name))?.descriptor;
  }

  load(name: string): Promise<Tool> {
    const known = this.#loaded.get(name);
    if (known) return known;
    const entry = this.#byName.get(name);
    if (!entry) throw new Error(`toolbox: ${name} is not in the catalogue`);
    const loading = entry.load();
    this.#loaded.set(name, loading);
    return loading;
  }

  async context(tool: ToolDescriptor, call: CallContext): Promise<ToolContext<never>> {
    const ports = await this.#options.ports(tool.needs, call);
    if (tool.needs.includes("catalog")) {
      ports.catalog = { all: () => this.descriptors, find: (name: string) => this.find(name) };
    }
    return { ...ports, ...call };
  }
}

/** One line per family: its name and its tools. */
export function familyLines(deferred: readonly ToolDescriptor[]): string[] {
  const families = [...new Set(deferred.map((tool) => tool.family))];
  return families.map((family) => {
    const names = deferred.filter((tool) => tool.family === family).map((tool) => tool.name);
    return `- ${family}: ${names.join(", ")}`;
  });
}

/** Whoever configured a language server wants its tools at hand. */
export function declaredIn({ settings, languages }: Surroundings): readonly Family[] {
  const { declare } = settings.tools;
  return languages.offer === "configured" ? [...declare, "lsp"] : declare;
}
