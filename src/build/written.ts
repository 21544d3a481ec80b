// Writing what is kept of a build: a disk that is full or read-only is a fact about the world, told to whoever builds.

import { UserError } from "../core/errors.js";
import { diskFault } from "../lib/disk-fault.js";

/** @throws UserError where the system does not let it be written */
export async function written<Value>(file: string, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const why = error instanceof UserError ? null : diskFault(error);
    if (why === null) throw error;
    throw new UserError(
      `${file} cannot be written: ${why}. What was written before stands.`,
      "Mend that. A build that had begun goes on then: cinch build --resume <id>",
      1,
    );
  }
}
