// What an act ended with when it was refused. Fails when it was not, so that no test passes because nothing happened.

import { expect } from "vitest";
import { Refusal } from "../../src/core/errors.js";

/** The refusal of an act that answers at once; what else it throws goes on. */
export function refusal(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("not refused");
}

/** The refusal of an act that takes its time. */
export async function refused(act: Promise<unknown>): Promise<Refusal> {
  const error = await errorOf(() => act);
  expect(error ?? "not refused").toBeInstanceOf(Refusal);
  return error as Refusal;
}

/** What an act threw, of whatever kind, or null. */
export function errorOf(act: () => unknown): Promise<unknown> {
  return Promise.resolve()
    .then(act)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
}
