// The instruction files of a project, by name: what would be read to the model if the project may speak. Nothing is opened.

import { dirname, join } from "node:path";
import type { Fs } from "../lib/fs.js";

/** First of these that a directory has; CLAUDE.md only where there is no AGENTS.md. */
const names = ["AGENTS.override.md", "AGENTS.md", "CLAUDE.md"];

interface Place {
  root: string;
  cwd: string;
}

/** From the root down to the working directory. */
export function speakersOf(disk: Pick<Fs, "existsSync">, place: Place): string[] {
  return directories(place).flatMap((directory) => {
    const file = names.map((name) => join(directory, name)).find((path) => disk.existsSync(path));
    return file ? [file] : [];
  });
}

function directories({ root, cwd }: Place): string[] {
  const path = [cwd];
  for (let at = cwd; at !== root && at !== dirname(at); ) {
    at = dirname(at);
    path.unshift(at);
  }
  return path;
}
