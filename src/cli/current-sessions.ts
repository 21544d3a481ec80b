// The sessions of the directory that the command line names, for subcommands: no settings are read, no model is chosen.

import { createHarness, type Sessions } from "../index.js";
import type { Values } from "./args.js";
import type { Flag } from "./flags.js";
import { workingDirectory } from "./setup.js";

export function currentSessions(values: Values): Sessions {
  return createHarness({ cwd: workingDirectory(values) }).sessions;
}

export const sessionFlag: Flag = {
  name: "session",
  kind: { is: "text" },
  hint: "<id>",
  doc: "Of this session: id, unique prefix or label; default the one last worked in here",
};
