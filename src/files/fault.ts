// System errors as sentences for the model. What is not a system error is a bug and passes unchanged.

import { ModelError } from "../core/errors.js";
import { diskFault } from "../lib/disk-fault.js";

/** `now`: what is true after the error, for example "Nothing was changed." */
export function asModelError(thrown: unknown, shown: string, now: string): unknown {
  const why = thrown instanceof ModelError ? null : diskFault(thrown);
  return why === null ? thrown : new ModelError(`${shown}: ${why}. ${now}`);
}
