// What a run and the agents that work for it have changed, net: each path once, with its state before all of it and after.
// Invariants: nothing is lost because two agents changed one file; a change is told as it is made, so the order is that in
// which calls ended. What a command's look found and another agent's file tool has done is the tool's. Where windows of
// two agents overlap and nobody can tell who came last, the change is `unsure`.

import { type FileChange, isDirectoryChange } from "../core/plan.js";
import { sha256 } from "../lib/hash.js";

/** Who changed a file. */
export interface By {
  /** Id of a task, or `main`. */
  agent: string;
  /** Found after a command, which may have done it or only run meanwhile. */
  byCommand?: boolean;
}

type Hash = string | null;

interface Claim extends By {
  before: Hash;
  after: Hash;
}

interface Net {
  change: FileChange;
  claims: Claim[];
}

export class NetChanges {
  readonly #nets = new Map<string, Net>();
  #revision = 0n;

  add(change: FileChange, by: By = { agent: "main" }): void {
    const { path, before, after, mode } = change;
    if (isNothing(change)) return;
    const known = this.#nets.get(path);
    const first = known?.change;
    const claims = [...(known?.claims ?? []), { ...by, before, after }];
    const isAlone = claims.every(({ agent }) => agent === by.agent);
    const net: FileChange = { path, ...(isAlone ? { before: first ? first.before : before, after } : netOf(claims)) };
    const modes = netMode(first, mode);
    if (modes) net.mode = modes;
    const uncovered = change.uncovered ?? first?.uncovered;
    if (uncovered) net.uncovered = uncovered;
    if (change.unsure || first?.unsure) net.unsure = true;
    this.#put({ change: net, claims });
  }

  /** Files that others than `self` have changed: what is there now is for the disk to say. */
  shared(self: string): string[] {
    const nets = [...this.#nets.values()].filter(({ claims }) => claims.some(({ agent }) => agent !== self));
    return nets.map(({ change }) => change.path);
  }

  /** This is at the path now. */
  found(path: string, now: Hash): void {
    const known = this.#nets.get(path);
    if (known && known.change.after !== now)
      this.#put({ ...known, change: { ...known.change, after: now, unsure: true } });
  }

  #put(net: Net): void {
    const { path } = net.change;
    this.#revision ^= mark(this.#nets.get(path)?.change) ^ mark(net.change);
    this.#nets.set(path, net);
  }

  /** Names the state of the project as far as it was changed; the same again when a change is taken back. */
  get revision(): string {
    return this.#revision.toString(16);
  }

  /** Whose content, kind or mode differs now. `self`: whose list this is; what is its own alone names nobody. */
  files(self = "main"): FileChange[] {
    const nets = [...this.#nets.values()].filter(({ change }) => isListed(change));
    return nets.map(({ change, claims }) => {
      const agents = [...new Set(real(claims).map(({ agent }) => agent))];
      return agents.length === 1 && agents[0] === self ? change : { ...change, agents };
    });
  }
}

function isListed(change: FileChange): boolean {
  if (change.uncovered) return true;
  return (change.before !== change.after || change.mode !== undefined) && !isDirectoryChange(change);
}

function isNothing({ before, after, mode, uncovered }: FileChange): boolean {
  return before === after && !mode && !uncovered;
}

/** Without what commands found and tools have done. */
function real(claims: readonly Claim[]): readonly Claim[] {
  const tools = claims.filter(({ byCommand }) => !byCommand);
  return claims.filter((claim) => {
    const others = tools.filter(({ agent }) => agent !== claim.agent);
    return !claim.byCommand || others.length === 0 || !leads(others, claim);
  });
}

/** Do these changes, one after another, make this one? */
function leads(changes: readonly Claim[], { before, after }: Claim): boolean {
  const reached = new Set<Hash>();
  const open: Hash[] = [before];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const change of changes) {
      if (change.before !== at || reached.has(change.after)) continue;
      if (change.after === after) return true;
      reached.add(change.after);
      open.push(change.after);
    }
  }
  return false;
}

function netOf(all: readonly Claim[]): Pick<FileChange, "before" | "after" | "unsure"> {
  const [first, ...claims] = real(all);
  if (!first) throw new Error("a change of nobody");
  let { before, after, agent } = first;
  let unsure = false;
  for (const claim of claims) {
    if (claim.before === after || claim.agent === agent) after = claim.after;
    // It came first and was told later.
    else if (claim.after === before) before = claim.before;
    else {
      after = claim.after;
      unsure = true;
    }
    ({ agent } = claim);
  }
  return unsure ? { before, after, unsure } : { before, after };
}

/** One file's part in the revision: nothing while it is as the run found it. */
function mark(net: FileChange | undefined): bigint {
  if (!net || (net.before === net.after && !net.mode)) return 0n;
  return BigInt(`0x${sha256(`${net.path}\n${net.after}\n${net.mode?.after}`).slice(0, 16)}`);
}

/** What became of kind and permissions over two changes; undefined when nothing did. */
function netMode(first: FileChange | undefined, mode: FileChange["mode"]): FileChange["mode"] {
  if (!first?.mode) return mode;
  const { before } = first.mode;
  const after = mode ? mode.after : first.mode.after;
  return before === after ? undefined : { before, after };
}
