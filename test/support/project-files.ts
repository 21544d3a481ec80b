// A project directory with the door of files/ on it, and the three ways to write through it, planned and committed at once.

import fs from "node:fs";
import { join } from "node:path";
import type { Files } from "../../src/core/ports.js";
import { createFiles, type FilesOptions } from "../../src/files/door.js";
import { tempDir } from "./run.js";

export function project(content: Record<string, string | Buffer> = {}, options: Partial<FilesOptions> = {}) {
  const root = tempDir("cinch-files-");
  for (const [name, bytes] of Object.entries(content)) {
    fs.mkdirSync(join(root, name, ".."), { recursive: true });
    fs.writeFileSync(join(root, name), bytes);
  }
  const at = (name: string) => join(root, name);
  return {
    root,
    files: createFiles({ root, ...options }),
    at,
    text: (name: string) => fs.readFileSync(at(name), "utf8"),
  };
}

export const create = async (files: Files, path: string, text: string) =>
  files.commit(await files.planCreate(path, text));
export const append = async (files: Files, path: string, text: string) =>
  files.commit(await files.planAppend(path, text));
export const edit = async (files: Files, path: string, oldText: string, newText: string) =>
  files.commit(await files.planEdit(path, [{ oldText, newText }]));
