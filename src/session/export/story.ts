// A session as it is told to a person: the branches of its tree, and what was said and done on each.
// Invariant: pure; every path entry of the file is on exactly one branch. Nothing is cut or made safe here: that is the
// business of whoever writes it down.

import type { Entry } from "../../core/entry.js";
import type { CallPart, ImagePart, ResultPart } from "../../core/message.js";
import type { SessionCost, TurnCost } from "../cost.js";
import {
  addNode,
  advance,
  type EntryTree,
  emptyTree,
  isPathType,
  type PathEntry,
  pathAnchor,
  pathTo,
  type TreeNode,
} from "../tree.js";

/** What a call did to a file. */
export interface Change {
  /** As shown: relative to the project's root where possible. */
  path: string;
  added: number;
  removed: number;
  /** Hunks; null when the contents are not kept any more or are no text. */
  diff: string | null;
}

/** Everything that an export is made of. */
export interface Material {
  id: string;
  entries: readonly Entry[];
  /** By call. */
  changes: ReadonlyMap<string, readonly Change[]>;
  cost: SessionCost;
  /** The sessions of the agents that worked for it; their cost is in that of the session as well. */
  agents?: readonly AgentMaterial[];
}

export interface AgentMaterial extends Omit<Material, "agents"> {
  task: string;
  agent: string;
}

export interface AgentStory extends Omit<Story, "agents"> {
  task: string;
  agent: string;
}

export interface Story {
  id: string;
  root: string;
  created: string;
  name: string | null;
  models: string[];
  cost: SessionCost;
  /** Notes about the whole session. */
  remarks: Remark[];
  /** In file order. */
  branches: Branch[];
  agents: AgentStory[];
}

/** A linear piece of the tree: from a fork to the next fork or the end. */
export interface Branch {
  /** From 1, in file order; those of agents follow. */
  number: number;
  /** Part of the active path. */
  active: boolean;
  /** The branch and the entry it goes off from; null at a root. */
  from: { branch: number; entry: string } | null;
  items: Item[];
}

export type Item = Said | Call | Remark;

export interface Said {
  is: "said";
  entry: string;
  time: number;
  who: "user" | "agent" | "harness" | "hook" | "task" | "summary";
  text: string;
  thinking: string;
  images: ImagePart[];
  label: string | null;
  turn: TurnCost | null;
  /** The reply was cut or broke off. */
  partial: boolean;
}

export interface Call {
  is: "call";
  entry: string;
  call: CallPart;
  result: ResultPart | null;
  /** Of its outcome; null when none was written, as for calls that only read. */
  status: string | null;
  approval: { decision: string; by: string; rule: string | null } | null;
  changes: readonly Change[];
}

export interface Remark {
  is: "remark";
  entry: string;
  text: string;
}

export function storyOf(material: Material): Story {
  const own = toldOf(material, 0);
  let told = own.branches.length;
  const agents = (material.agents ?? []).map(({ task, agent, ...of }): AgentStory => {
    const story = toldOf(of, told);
    told += story.branches.length;
    return { task, agent, ...story };
  });
  return { ...own, agents };
}

/** `before`: so many branches have been told. */
function toldOf(material: Omit<Material, "agents">, before: number): Omit<Story, "agents"> {
  const { entries, cost } = material;
  const tree = treeOf(entries);
  const facts = new Facts(material, tree);
  const header = entries.find((entry) => entry.type === "header");
  return {
    id: material.id,
    root: header?.data.root ?? "",
    created: header?.data.created ?? "",
    name: header ? (facts.labels.get(header.id) ?? null) : null,
    models: [...new Set(entries.flatMap((entry) => (entry.type === "model" ? [entry.data.id] : [])))],
    cost,
    remarks: facts.general,
    branches: branchesOf(tree, facts, before),
  };
}

function treeOf(entries: readonly Entry[]): EntryTree {
  const tree = emptyTree();
  for (const entry of entries) {
    const node = addNode(tree, entry, { offset: 0, length: 0 });
    advance(tree, node, entry.type === "head" ? entry.data.target : undefined);
  }
  return tree;
}

function branchesOf(tree: EntryTree, facts: Facts, before: number): Branch[] {
  const nodes = tree.nodes.filter((node) => isPathType(node.type) && !node.cut && tree.byId.get(node.id) === node);
  const above = (node: TreeNode) => node.parent && pathAnchor(node.parent);
  const children = new Map<TreeNode | null, number>();
  for (const node of nodes) children.set(above(node), (children.get(above(node)) ?? 0) + 1);
  const active = new Set(pathTo(tree.head));
  const branches: Branch[] = [];
  const branchOf = new Map<TreeNode, Branch>();
  for (const node of nodes) {
    const parent = above(node);
    let branch = parent && children.get(parent) === 1 ? branchOf.get(parent) : undefined;
    if (!branch) {
      const from = parent && { branch: branchOf.get(parent)?.number ?? 0, entry: parent.id };
      branch = { number: before + branches.length + 1, active: active.has(node), from, items: [] };
      branches.push(branch);
    }
    branchOf.set(node, branch);
    branch.items.push(...facts.itemsOf(node.id));
  }
  return branches;
}

/** What is known of entries from elsewhere in the file. */
class Facts {
  readonly labels = new Map<string, string | null>();
  readonly general: Remark[] = [];
  readonly #byId = new Map<string, Entry>();
  readonly #results = new Map<string, ResultPart>();
  readonly #outcomes = new Map<string, string>();
  readonly #approvals = new Map<string, Call["approval"]>();
  readonly #remarks = new Map<string, Remark[]>();
  readonly #turns: ReadonlyMap<string, TurnCost>;
  readonly #changes: Material["changes"];

  constructor({ entries, changes, cost }: Material, tree: EntryTree) {
    this.#changes = changes;
    this.#turns = new Map(cost.turns.map((turn) => [turn.entry, turn]));
    for (const entry of entries) {
      this.#learn(entry);
      if (entry.type === "note") this.#remark(entry, tree);
    }
  }

  /** A note is told behind the path entry that it hangs on. */
  #remark({ id, data }: Entry<"note">, tree: EntryTree): void {
    const node = tree.byId.get(id);
    const anchor = node && pathAnchor(node);
    const remarks = anchor ? (this.#remarks.get(anchor.id) ?? []) : this.general;
    remarks.push({ is: "remark", entry: id, text: `${data.code}: ${data.text}` });
    if (anchor) this.#remarks.set(anchor.id, remarks);
  }

  #learn(entry: Entry): void {
    if (!this.#byId.has(entry.id)) this.#byId.set(entry.id, entry);
    if (entry.type === "label") this.labels.set(entry.data.target, entry.data.text);
    if (entry.type === "outcome") this.#outcomes.set(entry.data.call, entry.data.status);
    if (entry.type === "approval") this.#approvals.set(entry.data.call, entry.data);
    if (entry.type !== "message") return;
    for (const part of entry.data.parts) if (part.type === "result") this.#results.set(part.callId, part);
  }

  itemsOf(id: string): Item[] {
    const entry = this.#byId.get(id) as PathEntry | undefined;
    return [...(entry ? this.#told(entry) : []), ...(this.#remarks.get(id) ?? [])];
  }

  #told(entry: PathEntry): Item[] {
    switch (entry.type) {
      case "prompt":
        return entry.data.cause === "create"
          ? []
          : [{ is: "remark", entry: entry.id, text: `A new segment begins: ${entry.data.cause}.` }];
      case "model":
        return [{ is: "remark", entry: entry.id, text: `Model: ${entry.data.id}` }];
      case "compaction":
        return [this.#said(entry, "summary", entry.data.summary)];
      case "message":
        return this.#messages(entry);
    }
  }

  #messages(entry: Entry<"message">): Item[] {
    const { role, origin, parts } = entry.data;
    // Results stand with their calls.
    if (role === "tool") return [];
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const said = this.#said(entry, role === "assistant" ? "agent" : (origin ?? "user"), texts.join("\n\n"));
    said.thinking = parts.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("\n\n");
    said.images = parts.filter((part) => part.type === "image");
    said.partial = entry.data.partial === true || entry.data.stop === "length";
    const calls = parts.filter((part) => part.type === "call").map((part) => this.#call(entry.id, part));
    return [said, ...calls];
  }

  #said(entry: PathEntry, who: Said["who"], text: string): Said {
    const { id, time } = entry;
    const label = this.labels.get(id) ?? null;
    const turn = this.#turns.get(id) ?? null;
    return { is: "said", entry: id, time, who, text, thinking: "", images: [], label, turn, partial: false };
  }

  #call(entry: string, call: CallPart): Call {
    return {
      is: "call",
      entry,
      call,
      result: this.#results.get(call.id) ?? null,
      status: this.#outcomes.get(call.id) ?? null,
      approval: this.#approvals.get(call.id) ?? null,
      changes: this.#changes.get(call.id) ?? [],
    };
  }
}
