// What the model is shown of files by other ways than reading them: hits of a search, and commands that show one file.
// Invariant: only what stands in the result as a whole is noted, and only as "this line with this text" (files/shown.ts).

import type { Search, Shell } from "../../core/ports.js";
import type { SeenFiles } from "../../files/seen.js";
import { shownBy } from "../../files/shown.js";
import type { Fs } from "../../lib/fs.js";
import { resolvePath } from "../../lib/paths.js";

/** Characters of a result that certainly stay whole. */
const maxShown = 24_000;

interface View {
  disk: Fs;
  cwd: string;
  seen: SeenFiles;
}

export function seenShell(shell: Shell, view: View): Shell {
  return {
    plan: (command, cwd) => shell.plan(command, cwd),
    async run(command) {
      const outcome = await shell.run(command);
      const { exit, spill, output } = outcome;
      const shown = exit === 0 && spill === null && output.length <= maxShown ? shownBy(command.command, output) : null;
      if (shown) note(view, command.cwd, shown.path, shown.lines);
      return outcome;
    },
  };
}

export function seenSearch(search: Search, view: View): Search {
  return {
    locate: (path) => search.locate(path),
    list: (path, signal) => search.list(path, signal),
    find: (glob, path, signal) => search.find(glob, path, signal),
    async text(query, signal) {
      const found = await search.text(query, signal);
      if (found.hits.reduce((sum, { path, text }) => sum + path.length + text.length + 8, 0) > maxShown) return found;
      for (const { path, line, text } of found.hits) note(view, view.cwd, path, [[line, text]]);
      return found;
    },
  };
}

function note({ disk, seen }: View, base: string, path: string, lines: readonly (readonly [number, string])[]): void {
  try {
    const place = resolvePath(disk, base, path);
    if (place.stat?.isFile()) seen.markLines(place.path, lines);
  } catch {
    // A name that leads nowhere: nothing was shown.
  }
}
