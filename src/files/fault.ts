// System errors as sentences for the model. What is not a system error is a bug and passes unchanged.

import { ModelError, Refusal } from "../core/errors.js";
import { MovedError } from "../lib/directory-handle.js";
import { diskFault } from "../lib/disk-fault.js";

/** `now`: what is true after the error, for example "Nothing was changed." */
export function asModelError(thrown: unknown, shown: string, now: string): unknown {
  if (thrown instanceof MovedError)
    return new Refusal(
      "outside",
      `A directory on the way to ${shown} was moved or replaced in this moment. ${now} Try again.`,
    );
  const why = thrown instanceof ModelError ? null : diskFault(thrown);
  return why === null ? thrown : new ModelError(`${shown}: ${why}. ${now}`);
}
