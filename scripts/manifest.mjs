// Writes the generated indexes (tools, models, formations) from the files in their folders, so that adding a file is enough.
// Invariant: the output depends on the sources only, so a second run changes nothing; `--check` proves it.
// What an index looks like is decided beside it: manifest-tools.mjs, manifest-models.mjs and manifest-formations.mjs.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { writeFormationsIndex } from "./manifest-formations.mjs";
import { writeModelsIndex } from "./manifest-models.mjs";
import { writeToolsIndex } from "./manifest-tools.mjs";

/** Writes every index below `root`. */
export async function writeManifest(root) {
  await writeToolsIndex(root);
  await writeModelsIndex(root);
  writeFormationsIndex(root);
}

/** Generated files below `root` that differ from what their sources give. Leaves every file as it was. */
export async function staleManifest(root) {
  const before = generated(root);
  try {
    await writeManifest(root);
    const after = generated(root);
    return [...new Set([...before.keys(), ...after.keys()])]
      .filter((path) => before.get(path) !== after.get(path))
      .map((path) => relative(root, path));
  } finally {
    restore(root, before);
  }
}

function generated(root) {
  const src = join(root, "src");
  const names = readdirSync(src, { recursive: true }).filter((name) => /\.gen\.(ts|json)$/.test(name));
  return new Map(names.map((name) => [join(src, name), readFileSync(join(src, name), "utf8")]));
}

function restore(root, before) {
  for (const [path, text] of generated(root)) {
    const old = before.get(path);
    if (old === undefined) rmSync(path);
    else if (old !== text) writeFileSync(path, old);
    before.delete(path);
  }
  for (const [path, text] of before) writeFileSync(path, text);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  if (process.argv.includes("--check")) {
    const stale = await staleManifest(root);
    for (const path of stale) console.error(`${path} is not what its sources give. Run: npm run manifest`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    await writeManifest(root);
  }
}
