// Steps that are all due, one after the other, whatever becomes of the ones before: for closing what was opened.
// Invariant: every step is taken; the first error is thrown when all have been.

export async function inTurn(steps: readonly (() => unknown)[]): Promise<void> {
  const failed: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
}
