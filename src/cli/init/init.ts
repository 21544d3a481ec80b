// `cinch init`: writes AGENTS.md from what is found in the project and says what of other tools' settings is there.
// Invariant: nothing that exists is changed, nothing is run; what could not be found out is left for a person to write.

import { join } from "node:path";
import { codeOf } from "../../core/errors.js";
import { createFile } from "../../lib/atomic-file.js";
import { nodeFs } from "../../lib/fs.js";
import { agentsText } from "./agents-text.js";
import { elsewhere, factsOf } from "./project-facts.js";

/** `trust`: what lets the file speak, as its user would type it. */
export async function initProject(root: string, trust: string): Promise<string> {
  const file = join(root, "AGENTS.md");
  const found = elsewhere(nodeFs, root).map(({ file, use }) => `  ${file}: ${use}`);
  const others = found.length > 0 ? ["", "Of other tools there is:", ...found] : [];
  return [await written(file, agentsText(factsOf(nodeFs, root)), trust), ...others].join("\n");
}

async function written(file: string, text: string, trust: string): Promise<string> {
  try {
    await createFile(nodeFs, file, text, { mode: 0o644 });
    return `${file} is written. Read it, correct it, and say in it what only people know. \`${trust}\` lets it speak.`;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return `${file} is there already; nothing was changed.`;
  }
}
