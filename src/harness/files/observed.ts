// The files port with somebody looking over its shoulder: each text that was changed is shown to an observer, and what it
// says goes with the change to the tool, as advice.
// Invariant: it looks only after the change is made, and at exactly the bytes that were there and that are there now.
// What is no text (or a change that wrote nothing) is not shown.

import type { ChangeObserver, Committed, FilePlan, Files } from "../../core/ports.js";
import { decode } from "../../files/text.js";

/** The bytes of a change, as the door hands them out before it is made; null = no file. */
export interface Image {
  before: Buffer | null;
  after: Buffer | null;
}

/** `imageOf`: what the last commit of a path replaced and wrote; undefined when it wrote nothing. */
export function observed(files: Files, observer: ChangeObserver, imageOf: (path: string) => Image | undefined): Files {
  const growing = new WeakSet<FilePlan>();
  const grown = async (planned: Promise<FilePlan>) => {
    const plan = await planned;
    growing.add(plan);
    return plan;
  };
  const looked = async (plan: FilePlan, change: Committed): Promise<Committed> => {
    const image = imageOf(plan.path);
    const after = image?.after ? decode(image.after) : null;
    if (!image || !after) return change;
    const before = image.before ? decode(image.before) : null;
    const { path, shown } = plan;
    const texts = { before: before?.text ?? null, after: after.text };
    const line = await observer.observe({ path, shown, ...texts, partial: growing.has(plan) });
    return line === null ? change : { ...change, advice: [line] };
  };
  return {
    root: files.root,
    locate: (path) => files.locate(path),
    read: (path, range) => files.read(path, range),
    kept: (ref, path) => files.kept(ref, path),
    planCreate: (path, content, isCut) => grown(files.planCreate(path, content, isCut)),
    planAppend: (path, content, expectedSize) => grown(files.planAppend(path, content, expectedSize)),
    planEdit: (path, edits) => files.planEdit(path, edits),
    planDelete: (path) => files.planDelete(path),
    planRevision: (revision) => files.planRevision(revision),
    commit: async (plan) => looked(plan, await files.commit(plan)),
    async commitAll(plans) {
      const changes = await files.commitAll(plans);
      return Promise.all(plans.map((plan, at) => looked(plan, changes[at] as Committed)));
    },
  };
}
