// The one door to project bytes: everything the file tools read, create, extend, edit or delete passes here.
// Invariant: `plan*` only reads and raises every refusal; `commit` re-checks and makes the change in one step.
// What the model did not see it cannot change; what exists it cannot overwrite; what is outside it cannot change, nor read
// unless a plan has named it.
// Not here: what stands in a file now (reader.ts), which lines are known (seen.ts), rewriting in one step (rewrites.ts),
// what is done about careless content (hygiene.ts), whose a file is to change (claims.ts).

import type { Stats } from "node:fs";
import { Refusal } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import type { FilePlan, Files, FileText, KeptText, Place, ReadRange, Revision, TextEdit } from "../core/ports.js";
import { diffReplacements, diffTexts, type LineDiff } from "../lib/diff.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { sha256 } from "../lib/hash.js";
import { alsoCalled } from "../lib/paths.js";
import { carryOut, type Ground, groundOf, mustBeChangeable, type PreImage, sideEffects } from "./commit.js";
import { Hygiene, type HygieneOptions } from "./content/hygiene.js";
import { mustKnow, tryEdits } from "./edit/known.js";
import type { ReadLimits } from "./lines.js";
import { linkDeletion } from "./link.js";
import { addedLines, type Change, planOf, type Work } from "./plan.js";
import { Reader } from "./reader.js";
import { cutRefusal, describeContent, existsRefusal, movedOn } from "./refusals.js";
import type { Rewrites } from "./rewrites.js";
import { SeenFiles } from "./seen.js";
import { carried, type Span } from "./spans.js";
import { type Located, Territory, type TerritoryOptions, tildeNote } from "./territory.js";
import { countLines, decode, lastLines, likeEolOf, linesOf, mustBeWellFormed, type Text } from "./text.js";
import { together } from "./together.js";

export interface FilesOptions extends TerritoryOptions, HygieneOptions {
  disk?: Fs;
  seen?: SeenFiles;
  preImage?: PreImage;
  dirty?: (directory: string) => void;
  enter?: (directory: string) => void;
  limits?: Partial<ReadLimits>;
  /** May a write replace a file whose present content the model knows? Default `refuse`. */
  overwrite?: "refuse" | "seen";
  /** Holds deletions back and keeps refused contents; without it a deletion is done at once. Shared by a session. */
  rewrites?: Rewrites;
  /** The call this door is for; goes with `rewrites`. */
  call?: string;
  /** Its text is only the beginning of what was meant. */
  cut?: boolean;
}

const unchanged = "Nothing was changed.";
const diffContext = 1;

/** Directories in `options` must exist; they are made canonical here. */
export function createFiles(options: FilesOptions): Files {
  return new Door(options);
}

class Door implements Files {
  readonly root: string;
  readonly #territory: Territory;
  readonly #reader: Reader;
  readonly #seen: SeenFiles;
  readonly #ground: Ground;
  readonly #hygiene: Hygiene;
  readonly #rewrites: Rewrites | undefined;
  readonly #overwrite: boolean;
  readonly #call: string;
  readonly #cut: boolean;
  readonly #works = new WeakMap<FilePlan, Work>();
  readonly #revised = new WeakMap<FilePlan, Revision>();
  /** The texts that planned deletions would take away. */
  readonly #deleted = new WeakMap<FilePlan, string>();

  constructor(options: FilesOptions) {
    const disk = options.disk ?? nodeFs;
    this.#territory = new Territory(disk, options);
    this.root = this.#territory.root;
    this.#seen = options.seen ?? new SeenFiles();
    this.#hygiene = new Hygiene(options);
    this.#rewrites = options.rewrites;
    this.#reader = new Reader(
      { disk, territory: this.#territory, seen: this.#seen, rewrites: options.rewrites },
      options.limits,
    );
    this.#overwrite = options.overwrite === "seen";
    this.#call = options.call ?? "";
    this.#cut = options.cut ?? false;
    this.#ground = groundOf(disk, options);
  }

  locate(path: string): Place {
    const outside = this.#territory.admit(path);
    if (outside) return outside;
    const { path: place, shown, names = [] } = this.#reader.existing(path);
    return { path: place, shown, ...alsoCalled(names) };
  }

  read(path: string, range: ReadRange): Promise<FileText> {
    return this.#reader.read(path, range);
  }

  kept(ref: string, path: string): KeptText | null {
    this.#rewrites?.tried(this.#reader.noticed(path, true));
    return this.#rewrites?.kept(ref) ?? null;
  }

  async planCreate(path: string, content: string, isCut = this.#cut): Promise<FilePlan> {
    const place = this.#reader.noticed(path, true);
    const plan = () => this.#planCreate(path, content, isCut);
    return this.#rewrites ? this.#rewrites.planning(place, plan) : plan();
  }

  async #planCreate(path: string, content: string, isCut: boolean): Promise<FilePlan> {
    const located = this.#territory.locateForChange(path);
    const { text, notes } = await this.#hygiene.clean(located.path, content);
    mustBeWellFormed(located, text);
    if (located.stat)
      return this.#planRewrite({ ...located, stat: located.stat }, { path, content, text, notes, isCut });
    notes.push(...(await this.#hygiene.created(located, text, this.#seen.text(located.path))), ...tildeNote(path));
    return this.#plan(located, "create", { text, diff: addedLines(0, text), notes });
  }

  /** A whole content for a file that exists: nothing to do, the second half of a rewrite, or refused. */
  async #planRewrite(
    located: Located & { stat: Stats },
    asked: { path: string; content: string; text: string; notes: string[]; isCut: boolean },
  ): Promise<FilePlan> {
    const { path } = located;
    const { content, text, notes, isCut } = asked;
    const bytes = await this.#reader.bytes(located);
    const hash = sha256(bytes);
    if (bytes.equals(Buffer.from(content))) return this.#plan(located, "nothing", { text: content, hash, bytes });
    if (bytes.equals(Buffer.from(text))) return this.#plan(located, "nothing", { text, hash, bytes, notes });
    const old = decode(bytes)?.text;
    const isKnown = this.#seen.hash(path) === hash;
    const isRewrite = this.#rewrites?.at(path)?.before === hash;
    const kept = () => (content === "" ? undefined : this.#rewrites?.keep(content, isCut));
    if (!isRewrite && !(this.#overwrite && isKnown)) {
      const link = this.#territory.linkForChange(asked.path);
      const shown = link ? `${located.shown}, to which ${link.shown} is a link,` : located.shown;
      const file = { path, shown, hash, bytes: bytes.length, text: isKnown ? undefined : old };
      throw existsRefusal(this.#seen, file, kept(), isCut ? content : undefined);
    }
    if (isCut) {
      if (isRewrite) this.#rewrites?.begin(path, content);
      throw cutRefusal(located.shown, content, kept());
    }
    notes.push(...sideEffects(located.stat), ...(await this.#hygiene.created(located, text, old)));
    const diff = old === undefined ? addedLines(0, text) : await diffTexts(old, text, diffContext);
    return this.#plan(located, "replace", { text, hash, bytes, diff, notes });
  }

  async planAppend(path: string, content: string, expectedSize?: number): Promise<FilePlan> {
    const place = this.#rewrites?.isWaiting ? this.#territory.placeOf(path, unchanged) : undefined;
    const begun = place === undefined ? undefined : this.#rewrites?.beginning(place);
    if (begun !== undefined) return this.planCreate(path, begun + content);
    this.#reader.noticed(path);
    const located = this.#territory.locateForChange(path);
    const current = located.stat ? await this.#reader.text(located) : null;
    if (expectedSize !== undefined && expectedSize !== (current?.bytes ?? 0)) {
      const now = current ? `has ${current.bytes} bytes` : "does not exist, so it has 0 bytes";
      const tail = current ? describeContent("Its last lines", lastLines(current.text, 3)) : "";
      const text = `${located.shown} ${now}, not ${expectedSize}. ${unchanged}${tail}`;
      throw new Refusal("size", text, current ? ["append-anyway", "read"] : ["append-anyway"]);
    }
    const isFirst = current === null || current.text === "";
    const clean = isFirst
      ? await this.#hygiene.clean(located.path, content)
      : this.#hygiene.cleanPiece(located.path, content);
    mustBeWellFormed(located, clean.text);
    if (!current) {
      const { text } = clean;
      const notes = [...clean.notes, ...this.#hygiene.appended(located, text, text, 0), ...tildeNote(path)];
      return this.#plan(located, "create", { text, diff: addedLines(0, text), notes });
    }
    const notes = [...current.notes, ...clean.notes];
    const { text: added, note } = likeEolOf(current.text, clean.text);
    if (note !== undefined) notes.push(note);
    const open = current.text !== "" && !current.text.endsWith("\n");
    if (open && added !== "")
      notes.push("the file did not end with a line end, so its last line goes on with this text");
    const diff = open
      ? await diffReplacements(
          current.text,
          [{ start: current.text.length, end: current.text.length, text: added }],
          diffContext,
        )
      : addedLines(countLines(current.text), added);
    const text = current.text + added;
    notes.push(...this.#hygiene.appended(located, text, added, countLines(current.text) - (open ? 1 : 0)));
    const spans = this.#reader.spans(located.path, current);
    return this.#plan(located, "replace", { ...current, text, diff, notes, spans: spans && carried(spans, diff.text) });
  }

  async planEdit(path: string, edits: readonly TextEdit[]): Promise<FilePlan> {
    this.#reader.noticed(path);
    const located = this.#reader.mustExist(this.#territory.locateForChange(path), unchanged);
    const current = await this.#reader.text(located);
    const file = { path: located.path, shown: located.shown, hash: current.hash, text: current.text };
    const spans = this.#reader.spans(located.path, current);
    // Also the old text: half a character matches inside a whole one, and the other half would be left behind.
    for (const edit of edits) for (const text of [edit.oldText, edit.newText]) mustBeWellFormed(located, text);
    const edited = await tryEdits(this.#seen, file, spans, edits);
    const diff = edited.changes
      ? await diffReplacements(current.text, edited.changes, diffContext)
      : await diffTexts(current.text, edited.text, diffContext);
    if (spans) await mustKnow(this.#seen, file, spans, diff.text);
    const { text, replaced } = edited;
    const doubts = this.#hygiene.edited(located, edits, { before: current.text, after: text, diff: diff.text });
    const notes = [...current.notes, ...edited.notes, ...doubts];
    const known = spans && carried(spans, diff.text);
    return this.#plan(located, "replace", { ...current, text, diff, replaced, notes, spans: known });
  }

  async planRevision({ path, before, after }: Revision): Promise<FilePlan> {
    this.#reader.noticed(path);
    const located = this.#reader.mustExist(this.#territory.locateForChange(path), unchanged);
    const current = await this.#reader.text(located);
    if (current.text !== before) throw movedOn(located.shown);
    mustBeWellFormed(located, after);
    const diff = await diffTexts(before, after, diffContext);
    const spans = this.#reader.spans(located.path, current);
    const change = { ...current, text: after, diff, spans: spans && carried(spans, diff.text) };
    const plan = this.#plan(located, "replace", change);
    this.#revised.set(plan, { path: located.path, before, after });
    return plan;
  }

  async planDelete(path: string): Promise<FilePlan> {
    const link = this.#territory.linkForChange(path);
    if (link) return this.#plan(link, "unlink", linkDeletion(this.#ground.disk, link));
    const held = this.#rewrites?.at(this.#territory.placeOf(path, unchanged));
    if (held) {
      // Looking would carry it out, and leave nothing on disk until the write that it waits for. Asked for again, it is
      // meant also where such a write failed.
      this.#rewrites?.hold(held);
      throw new Refusal("missing", `${held.shown} is deleted already. ${unchanged}`, ["create"]);
    }
    this.#reader.noticed(path);
    const located = this.#reader.mustExist(this.#territory.locateForChange(path), unchanged);
    const bytes = await this.#reader.bytes(located);
    const old = decode(bytes)?.text ?? "";
    const lines = linesOf(old);
    const diff = { text: lines.map((line) => `-${line}`).join("\n"), added: 0, removed: lines.length };
    const plan = this.#plan(located, "delete", { text: null, hash: sha256(bytes), bytes, diff });
    this.#deleted.set(plan, old);
    return plan;
  }

  commitAll(plans: readonly FilePlan[]): Promise<FileChange[]> {
    const check = (plan: FilePlan) => mustBeChangeable(this.#ground, plan);
    return together(plans, { door: this, check, revisionOf: (plan) => this.#revised.get(plan) });
  }

  async commit(plan: FilePlan): Promise<FileChange> {
    const work = this.#works.get(plan);
    if (!work) throw new Error(`files: no plan of this door for ${plan.path}`);
    if (work.deed === "delete" && this.#rewrites) return this.#holdBack(this.#rewrites, plan);
    if (work.deed === "create") this.#territory.mustStandAround(plan.path);
    const make = () => carryOut(this.#ground, plan, work);
    const done = await (this.#rewrites?.making(plan.path, make) ?? make());
    const change: FileChange = { path: plan.path, before: plan.before, after: plan.after, ...done };
    if (plan.after === null) {
      this.#seen.remove(plan.path, this.#deleted.get(plan));
      return change;
    }
    this.#seen.mark(plan.path, plan.after, work.text ?? undefined, work.spans);
    const lines = this.#seen.last(plan.path)?.spans;
    return lines ? { ...change, lines } : change;
  }

  /** Checked as if it were done now, because it is reported as done. */
  #holdBack(rewrites: Rewrites, plan: FilePlan): FileChange {
    const { path, shown, before } = plan;
    if (before === null) throw new Error(`files: nothing to delete at ${path}`);
    mustBeChangeable(this.#ground, plan);
    rewrites.hold({ path, shown, before, call: this.#call });
    return { path, before, after: before, held: true };
  }

  #plan(
    located: Located,
    deed: Change["deed"],
    change: {
      text: string | null;
      hash?: string;
      bytes?: Buffer | number;
      encoding?: Text["encoding"];
      diff?: LineDiff;
      replaced?: number;
      notes?: readonly string[];
      spans?: readonly Span[] | undefined;
    },
  ): FilePlan {
    const { plan, work } = planOf({
      path: located.path,
      shown: located.shown,
      names: located.names ?? [],
      deed,
      before: change.hash ?? null,
      beforeBytes: typeof change.bytes === "number" ? change.bytes : (change.bytes?.length ?? 0),
      text: change.text,
      encoding: change.encoding ?? "utf-8",
      diff: change.diff ?? { text: "", added: 0, removed: 0 },
      replaced: change.replaced ?? 0,
      notes: change.notes ?? [],
    });
    if (change.spans) work.spans = change.spans;
    this.#works.set(plan, work);
    return plan;
  }
}
