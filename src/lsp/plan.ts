// A server as it would be started: from an entry of lsp.json or from the table of known ones.

import type { Json } from "../core/json.js";
import type { KnownServer } from "./known-servers.js";

export interface ServerPlan {
  name: string;
  /** `lsp.json`, `.cinch/lsp.json`, `built-in`. */
  source: string;
  /** As it would be started, the program absolute; empty = it was not found. */
  argv: readonly string[];
  /** Extension -> language id. */
  languages: Readonly<Record<string, string>>;
  marks: readonly string[];
  settings?: Json;
  initializationOptions?: Json;
  env?: Readonly<Record<string, string>>;
  notices?: KnownServer["notices"];
  runs?: KnownServer["runs"];
}
