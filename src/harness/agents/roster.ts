// Who there is to work: agents and formations, of Cinch, of the user, and of the project.
// Invariant: a file of the project counts with the bytes that its user trusted, and with no others.

import { join } from "node:path";
import { readSmall } from "../../lib/small-file.js";
import { coveredBytes } from "../../trust/resource.js";
import type { AgentSummary, FormationFile } from "../api/index.js";
import type { Surroundings } from "../surroundings.js";
import { trustedText } from "../trust/trusted-text.js";
import { AgentCatalog } from "./catalog.js";
import { projectFiles, yamlIn } from "./project-files.js";

/** More than any formation needs. */
const largest = 256 * 1024;

/** The weakest first. */
export function formationFiles(at: Surroundings): FormationFile[] {
  const own = projectFiles(at).filter(({ kind }) => kind === "formation");
  const directory = join(at.config, "formations");
  return [
    ...own.map((each): FormationFile => {
      const text = trustedText(at, each);
      const why = coveredBytes({ ...at, path: undefined }, each.file) ? "untrusted" : "unreadable";
      return { level: "project", file: join(at.root, each.file), text, ...(text === null ? { why } : {}) };
    }),
    ...yamlIn(at.disk, directory).map((name): FormationFile => {
      const file = join(directory, name);
      const read = readSmall(at.disk, file, largest);
      return { level: "user", file, ...(read && !read.cut ? { text: read.text } : { text: null, why: "unreadable" }) };
    }),
  ];
}

export async function agentSummaries(at: Surroundings): Promise<AgentSummary[]> {
  const found = await new AgentCatalog(at, [], () => {}).all();
  return [...found.values()].map(({ name, description, model, source }) => ({ name, description, model, source }));
}
