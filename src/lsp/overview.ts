// The problems of every file that a running server has open.
// Invariant: what cannot be said of one file, or by one server, takes nothing else with it and is named: no file and no server
// is left out in silence.

import { setMaxListeners } from "node:events";
import { Cancelled, ModelError, messageOf } from "../core/errors.js";
import type { Answer, FileProblems } from "../core/lsp.js";
import type { Pool } from "./pool.js";
import type { LanguageServer } from "./server.js";

export interface OverviewOptions {
  pool: Pick<Pool, "all" | "failed">;
  shown(path: string): string;
  /** Of one open file; throws a ModelError when its server cannot say. */
  problems(server: LanguageServer, path: string): Promise<FileProblems>;
}

/** Files that one note names. */
const mostNamed = 5;

export async function overview(options: OverviewOptions, signal: AbortSignal): Promise<Answer<FileProblems>> {
  const { pool } = options;
  // One listener for each open file; node warns of more than ten.
  setMaxListeners(0, signal);
  const gone = pool.failed().map(({ plan, why }) => {
    return `The language server ${plan.name} does not run: ${why}. To start it again, name one of its files as path.`;
  });
  const asked = await Promise.all(pool.all().map((server) => byServer(server, options)));
  return { items: asked.flatMap(({ items }) => items), notes: [...gone, ...asked.flatMap(({ notes }) => notes)] };
}

async function byServer(server: LanguageServer, { shown, problems }: OverviewOptions): Promise<Answer<FileProblems>> {
  server.refresh();
  /** Files by what was wrong with them: a server that dies fails all of its files with one text. */
  const unknown = new Map<string, string[]>();
  const look = async (path: string): Promise<FileProblems[]> => {
    try {
      return [await problems(server, path)];
    } catch (error) {
      if (error instanceof Cancelled || !(error instanceof ModelError)) throw error;
      const why = messageOf(error);
      unknown.set(why, [...(unknown.get(why) ?? []), shown(path)]);
      return [];
    }
  };
  const items = (await Promise.all(server.documents.paths().map(look))).flat();
  return { items, notes: [...unknown].map(([why, files]) => `not known of ${named(files)}: ${why}`) };
}

function named(files: readonly string[]): string {
  const more = files.length - mostNamed;
  return more > 0 ? `${files.slice(0, mostNamed).join(", ")} and ${more} more` : files.join(", ");
}
