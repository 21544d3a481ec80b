// What is still to be said when something throws where nobody catches it: who holds a result puts it here.
// Invariant: asked once; the exit code it gives is that of the result it has said, undefined when it had none.

type LastWords = (error: unknown) => number | undefined;

let words: LastWords | undefined;

export function holdLastWords(say: LastWords): void {
  words = say;
}

export function sayLastWords(error: unknown): number | undefined {
  const say = words;
  words = undefined;
  return say?.(error);
}
