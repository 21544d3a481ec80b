// Content that is only shown with a yes (secret files, files that a rule keeps from reading) must not come out by another
// way: refusals carry what stands in a file, replies of appends its last lines, searches their hits.
// Invariants: nothing of such a file is shown or counts as seen until the model has been allowed to read it; what was asked
// for and allowed by its own name is shown. Existence and size are no secret.

import { ModelError, Refusal } from "../../core/errors.js";
import type { FilePlan, Files, Search } from "../../core/ports.js";
import type { SeenFiles } from "../../files/seen.js";
import type { Fs } from "../../lib/fs.js";
import { resolvePath, shownPath } from "../../lib/paths.js";

export interface Withholding {
  disk: Fs;
  cwd: string;
  seen: SeenFiles;
  /** Takes a canonical path. */
  conceals(path: string): boolean;
  /** Its content is about to be shown, as was decided by its name. */
  shown(path: string): void;
}

export function withheldFiles(files: Files, view: Withholding): Files {
  const { cwd, seen } = view;
  const guarded = async (path: string, plan: () => Promise<FilePlan>): Promise<FilePlan> => {
    const place = placeOf(view, path);
    const hidden = place !== null && view.conceals(place) && seen.last(place) === undefined;
    if (!hidden) return await plan();
    try {
      const planned = await plan();
      planned.stats.tail.length = 0;
      return planned;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      seen.forget(place);
      throw silenced(error, shownPath(cwd, place));
    }
  };
  return {
    root: files.root,
    locate: (path) => files.locate(path),
    read(path, range) {
      const place = placeOf(view, path);
      if (place !== null && view.conceals(place)) view.shown(place);
      return files.read(path, range);
    },
    kept: (ref, path) => files.kept(ref, path),
    planCreate: (path, content, isCut) => guarded(path, () => files.planCreate(path, content, isCut)),
    planAppend: (path, content, size) => guarded(path, () => files.planAppend(path, content, size)),
    planEdit: (path, edits) => guarded(path, () => files.planEdit(path, edits)),
    planDelete: (path) => guarded(path, () => files.planDelete(path)),
    planRevision: (revision) => guarded(revision.path, () => files.planRevision(revision)),
    commit: (plan) => files.commit(plan),
    commitAll: (plans) => files.commitAll(plans),
  };
}

/** The same no without what stands in the file. */
function silenced(error: ModelError, shown: string): ModelError {
  if (!(error instanceof Refusal)) return error;
  const { kind, facts } = error;
  if (kind === "outside" || kind === "missing" || kind === "not-a-file" || kind === "conflict") return error;
  const said = kind === "exists" ? "exists already with other content" : `was not read before (${kind})`;
  const text = `${shown} ${said}. Nothing was changed. Its content is withheld; reading it needs an approval.`;
  return new Refusal(kind, text, kind === "exists" ? ["append", "rewrite"] : ["read"], {
    ...(facts.ref ? { ref: facts.ref } : {}),
    ...(facts.beginning ? { beginning: facts.beginning } : {}),
  });
}

export function withheldSearch(search: Search, view: Withholding): Search {
  return {
    locate: (path) => search.locate(path),
    list: (path, signal) => search.list(path, signal),
    find: (glob, path, signal) => search.find(glob, path, signal),
    async text(query, signal) {
      const found = await search.text(query, signal);
      if (view.conceals(query.path)) view.shown(query.path);
      const hidden = new Map<string, boolean>();
      const isHidden = (path: string) => {
        const known = hidden.get(path);
        if (known !== undefined) return known;
        const place = placeOf(view, path);
        // Asked for by its own name, it was decided about by that name.
        const hide = place !== null && place !== query.path && view.conceals(place);
        hidden.set(path, hide);
        return hide;
      };
      return { ...found, hits: found.hits.map((hit) => (isHidden(hit.path) ? { ...hit, text: withheld } : hit)) };
    },
  };
}

const withheld = "[withheld: reading this file needs an approval]";

/** Null when the path leads nowhere; then nothing of it can be shown. */
function placeOf({ disk, cwd }: Withholding, path: string): string | null {
  try {
    return resolvePath(disk, cwd, path).path;
  } catch {
    return null;
  }
}
