// What the judgement of a command needs to know of the machine, as a port: the analysis itself reads nothing.

import type { Spot } from "./places.js";

export interface Ground {
  /** The home directory of the user, canonical. */
  home: string;
  /** The project's root, canonical. */
  root: string;
  /** Where `path`, seen from the canonical directory `base`, leads; outside, when that cannot be told. */
  spot(base: string, path: string): Spot;
  /** Whether reading everything below the directory shows a file that is withheld; null when there is too much to look. `follow`: a link may lead to one. */
  holdsSecrets(directory: string, follow?: boolean): boolean | null;
  /** Whether the program that a name stands for lies in the project, where anybody's code can be. */
  isOfProject(program: string): boolean;
  /** What in the configuration of the repository around a directory could run something, or null. */
  gitTrouble(directory: string): string | null;
}
