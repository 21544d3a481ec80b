// Several changes as one: all of them are checked before the first is made, and what was made is taken back when a later one
// fails all the same.
// Invariant: after success every change is made; after an error either none is, or the error names those that are. A kill in
// between leaves some made; undo knows each of them.

import { ModelError, messageOf } from "../core/errors.js";
import type { FileChange } from "../core/plan.js";
import type { FilePlan, Revision } from "../core/ports.js";

export interface Steps {
  /** Throws what stands in the way. */
  check(plan: FilePlan): void;
  door: { commit(plan: FilePlan): Promise<FileChange>; planRevision(revision: Revision): Promise<FilePlan> };
  /** What a plan was made from. */
  revisionOf(plan: FilePlan): Revision | undefined;
}

export async function together(plans: readonly FilePlan[], steps: Steps): Promise<FileChange[]> {
  for (const plan of plans) steps.check(plan);
  const done: { plan: FilePlan; change: FileChange }[] = [];
  try {
    for (const plan of plans) done.push({ plan, change: await steps.door.commit(plan) });
  } catch (error) {
    const left = await takenBack(done.map(({ plan }) => plan).reverse(), steps);
    if (left.length === 0) throw error;
    const names = left.map(({ shown }) => shown).join(", ");
    throw new ModelError(
      `${messageOf(error)} Other files of this change are changed and could not be put back: ${names}.`,
    );
  }
  return done.map(({ change }) => change);
}

/** Those that stayed as they were changed. */
async function takenBack(plans: readonly FilePlan[], steps: Steps): Promise<FilePlan[]> {
  const left: FilePlan[] = [];
  for (const plan of plans) {
    try {
      const { path, before, after } = steps.revisionOf(plan) ?? noRevision(plan);
      await steps.door.commit(await steps.door.planRevision({ path, before: after, after: before }));
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      left.push(plan);
    }
  }
  return left;
}

function noRevision({ path }: FilePlan): never {
  throw new Error(`files: the change of ${path} is no revision`);
}
