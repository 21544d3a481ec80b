// A failure whose kind is known where it happens, below a provider package. Apart from what reads the packages' own errors
// (failure.ts), which is loaded with them.

import type { FailKind } from "../core/model.js";

/** Thrown below a provider package by somebody who knows what it means; its text is shown as it is. */
export class KnownFailure extends Error {
  override name = "KnownFailure";
  readonly kind: FailKind;

  constructor(kind: FailKind, text: string) {
    super(text);
    this.kind = kind;
  }
}
