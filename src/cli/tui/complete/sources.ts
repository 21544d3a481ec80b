// Where completions come from: the slash commands, and the files of the project.

import { join } from "node:path";
import { nodeFs } from "../../../lib/fs.js";
import { once } from "../../../lib/once.js";
import { type SlashHelp, slashHelp } from "../../slash/help-table.js";
import type { Candidate, Word } from "./candidate.js";
import { FileIndex } from "./file-index.js";

const most = 200_000;
const shown = 50;

export interface Sources {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** There are other candidates now. */
  refresh(): void;
}

export function candidatesOf({ root, env, refresh }: Sources): (word: Word) => readonly Candidate[] {
  const index = new FileIndex({
    now: Date.now,
    async list(signal) {
      const { listAll } = await import("../../../lib/search.js");
      return listAll({ directory: root, env: { PATH: env["PATH"] ?? "" }, signal, disk: nodeFs, root }, most);
    },
  });
  let commands: readonly SlashHelp[] = [];
  const load = once(async () => {
    commands = await slashHelp();
    refresh();
  });
  return ({ kind, text }) => {
    if (kind === "command") {
      void load();
      return commands.filter(({ name }) => name.startsWith(text)).map(commandCandidate);
    }
    const fresh = index.find(text, shown).map((found) => ({ ...found, file: join(root, found.label) }));
    void index.refresh().then((changed) => changed && refresh());
    return fresh;
  };
}

function commandCandidate({ name, usage, doc }: SlashHelp): Candidate {
  return { insert: usage === "" ? `/${name}` : `/${name} `, label: `/${name}`, doc };
}
