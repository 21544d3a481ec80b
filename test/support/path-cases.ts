// The table of paths in test/data/path-cases.json, and the real trees its rows ask for.

import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { ModelError, Refusal } from "../../src/core/errors.js";
import { tempDir } from "./run.js";

export interface PathCase {
  id: string;
  path: string;
  inside: boolean;
  why: string;
  make: string[];
  expect?: "error" | "error-type";
  protected_write?: boolean;
  tolerate?: string;
  platform?: string;
  race?: string;
}

const file = new URL("../data/path-cases.json", import.meta.url);

/** The rows that apply here; a file system that folds case has rows of its own. */
export const pathCases: PathCase[] = (JSON.parse(readFileSync(file, "utf8")) as { cases: PathCase[] }).cases.filter(
  ({ platform }) => platform !== "case-insensitive",
);

export interface PathTree {
  base: string;
  root: string;
  /** The path of the case, in this tree. */
  path: string;
  close(): void;
}

export async function makeTree(row: PathCase): Promise<PathTree> {
  const base = tempDir("cinch-path-");
  const closers: (() => void)[] = [];
  for (const order of row.make) {
    const kind = order[0];
    const [name = "", target = ""] = order.slice(2).split("->");
    const path = join(base, name);
    mkdirSync(dirname(path), { recursive: true });
    if (kind === "d") mkdirSync(path, { recursive: true });
    else if (kind === "f") writeFileSync(path, "content\n");
    else if (kind === "l") symlinkSync(target.replaceAll("{BASE}", base), path);
    else if (kind === "h") linkSync(join(base, target), path);
    else if (kind === "p") makePipe(path);
    else if (kind === "s") {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(path, resolve));
      closers.push(() => server.close());
    } else throw new Error(`path-cases: unknown order ${order}`);
  }
  const close = () => {
    for (const end of closers) end();
  };
  return { base, root: join(base, "proj"), path: row.path.replaceAll("{BASE}", base), close };
}

/** Whatever touched the path ended as its row says; `null` = it went well. */
export function expectPath(row: PathCase, error: unknown): void {
  if (error !== null) expect(error).toBeInstanceOf(ModelError);
  const kind = error instanceof Refusal ? error.kind : null;
  if (row.expect === "error") expect(kind).toBe("input");
  else if (row.tolerate === "error") expect(error).not.toBeNull();
  else if (row.inside) expect(kind).not.toBe("outside");
  else expect(kind).toBe("outside");
}

/** Node has no call that makes a named pipe. */
export function makePipe(path: string): void {
  execFileSync("sh", ["-c", 'exec mkfifo "$0"', path]);
}
