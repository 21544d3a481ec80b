// What a file of the project says that its user has trusted as it is.

import { sha256 } from "../../lib/hash.js";
import { coveredBytes } from "../../trust/resource.js";
import type { ProjectFile } from "../agents/project-files.js";
import type { Surroundings } from "../surroundings.js";

type At = Pick<Surroundings, "project" | "disk" | "root">;

/** The text of a file of the project; null when its user has not trusted it as it is. */
export function trustedText({ project, disk, root }: At, { kind, file }: ProjectFile): string | null {
  if (project.trust !== "trusted") return null;
  const approved = project.approved.find(({ resource }) => resource.kind === kind && resource.name === file);
  const hash = approved?.fingerprint.files[0]?.hash;
  const bytes = coveredBytes({ disk, root, path: undefined }, file);
  return bytes && hash === sha256(bytes) ? bytes.toString("utf8") : null;
}
