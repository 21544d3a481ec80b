// A session of this machine as material for reports: its entries, what its calls did to files, and what it has cost.
// Invariant: reads only, takes no lock, so it works beside a running session. A content is shown only when its hash is
// the one in the log: what somebody else wrote into a file since is not part of a session.

import type { Entry } from "../../core/entry.js";
import { UserError } from "../../core/errors.js";
import type { Model } from "../../core/model.js";
import { type FileChange, isDirectoryChange } from "../../core/plan.js";
import { PresentFiles } from "../../files/undo/present.js";
import { diffTexts } from "../../lib/diff.js";
import type { Fs } from "../../lib/fs.js";
import { createObjectStore } from "../../lib/object-store.js";
import { shownPath } from "../../lib/paths.js";
import { type FactOverrides, factsOf } from "../../models/catalog.js";
import { familyCost, type PricesOf, type SessionCost, sessionCost } from "../../session/cost.js";
import type { AgentMaterial, Change, Material } from "../../session/export/story.js";
import type { SessionInfo } from "../../session/store.js";
import { sessionAt } from "../place.js";
import { agentsOf, type Head, readLog } from "./family.js";

export interface ReportPlace {
  root: string;
  /** State directory. */
  state: string;
  disk: Fs;
  /** `models` of the settings: windows and prices. */
  models: FactOverrides;
}

export interface Report extends Member {
  /** The agents that worked for it, whoever gave a task before whoever got it. */
  agents: (Member & { task: string; agent: string })[];
}

/** One session of the family. */
interface Member {
  info: SessionInfo;
  entries: readonly Entry[];
  /** Lines that are damaged or not finished, from 1. */
  damaged: readonly number[];
}

/** `query`: default the newest session of the project. @throws UserError (exit 2) when there is no such session */
export function readReport(at: ReportPlace, query: string | undefined): Report {
  const info = sessionAt(at, query);
  const own = readLog(at, info.file);
  if (own.entries.length === 0)
    throw new UserError(`${info.file} holds no intact entry.`, "`cinch sessions verify` says what is wrong.", 1);
  const agents = agentsOf(at, info).map(({ info: below, task, agent, read }) => ({
    info: below,
    task,
    agent,
    ...read(),
  }));
  return { info, ...own, agents };
}

export function costOfReport(at: ReportPlace, { entries, agents }: Report): SessionCost {
  return costOf(agents, entries, pricesIn(at));
}

/** Of a session that is open: `model` knows its own price. */
export function costOfOpen(at: CostPlace, session: Head, model: Model): SessionCost {
  const pricesOf: PricesOf = (id) => (id === model.id ? model.facts.prices : pricesIn(at)(id));
  const agents = agentsOf(at, session).map(({ read }) => read());
  return costOf(agents, readLog(at, session.file).entries, pricesOf);
}

type CostPlace = Pick<ReportPlace, "disk" | "state" | "models">;

function costOf(agents: readonly Pick<Member, "entries">[], own: readonly Entry[], pricesOf: PricesOf): SessionCost {
  const costs = agents.map(({ entries }) => sessionCost(entries, pricesOf));
  return familyCost(sessionCost(own, pricesOf), costs);
}

function pricesIn({ models }: CostPlace): PricesOf {
  return (model) => factsOf(model, models).prices;
}

export async function materialOf(at: ReportPlace, report: Report): Promise<Material> {
  const { info, entries } = report;
  const agents: AgentMaterial[] = [];
  for (const { task, agent, ...member } of report.agents) {
    const cost = sessionCost(member.entries, pricesIn(at));
    agents.push({
      task,
      agent,
      id: member.info.id,
      entries: member.entries,
      changes: await changesOf(at, member),
      cost,
    });
  }
  return { id: info.id, entries, changes: await changesOf(at, report), cost: costOfReport(at, report), agents };
}

async function changesOf(at: ReportPlace, { info, entries }: Member): Promise<Map<string, Change[]>> {
  const outcomes = entries.filter((entry) => entry.type === "outcome");
  const touched = outcomes.flatMap(({ data }) => data.files.filter(isChange));
  const content = await contents(at, touched);
  const changes = new Map<string, Change[]>();
  for (const { data } of outcomes) {
    const made: Change[] = [];
    for (const file of data.files.filter(isChange)) made.push(await changeOf(file, content, info.root));
    if (made.length > 0) changes.set(data.call, made);
  }
  return changes;
}

function isChange(file: FileChange): boolean {
  return file.before !== file.after && !isDirectoryChange(file);
}

type Content = (hash: string | null) => string | null;

/** The texts by hash, as far as they are kept: in the store before a change, or on the disk still. */
async function contents(at: ReportPlace, touched: readonly FileChange[]): Promise<Content> {
  const objects = createObjectStore(at.disk, `${at.state}/checkpoints/objects`);
  const present = new PresentFiles(at.disk);
  for (const path of new Set(touched.map((file) => file.path))) {
    // A file that cannot be read any more is one whose content is not kept.
    await present.look([path]).catch(() => {});
  }
  return (hash) => {
    if (hash === null) return "";
    const bytes = objects.get(hash) ?? present.content(hash);
    return bytes && bytes.length <= textLimit && !bytes.includes(0) ? bytes.toString() : null;
  };
}

const textLimit = 1024 * 1024;
/** Lines of context in a diff. */
const around = 3;

async function changeOf({ path, before, after }: FileChange, content: Content, root: string): Promise<Change> {
  const shown = shownPath(root, path);
  const [old, fresh] = [content(before), content(after)];
  if (old === null || fresh === null) return { path: shown, added: 0, removed: 0, diff: null };
  const { text, added, removed } = await diffTexts(old, fresh, around);
  return { path: shown, added, removed, diff: text };
}
