// What a session log is given of the world. Nothing else of it is reachable from there.

import type { Clock, Ids } from "../core/ids.js";
import type { RedactEntry } from "../core/redactor.js";
import type { Fs } from "../lib/fs.js";

export interface SessionPorts {
  /** Directory of long strings (`spill/` of the state directory). */
  spillDir: string;
  disk: Fs;
  clock: Clock;
  ids: Ids;
  /** Takes secrets out of an entry before it is one. */
  redact?: RedactEntry;
}
