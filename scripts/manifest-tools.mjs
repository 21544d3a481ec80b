// Writes src/tools/index.gen.ts: one entry a tool file, descriptor as data, code by dynamic import.
// Invariant: only the tool files decide; order is `order`, then name. The tools are bundled and run here to get at their
// descriptors and schemas, so that starting Cinch needs neither zod nor their code.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const notTools = /(^index\.|\.test\.|\.gen\.|\.d\.)/;

/** Writes the index when it is not what the tool files give. */
export async function writeToolsIndex(root) {
  const path = join(root, "src/tools/index.gen.ts");
  const text = await toolsIndex(root);
  if (readFile(path) !== text) writeFileSync(path, text);
}

/** The text of the index. */
export async function toolsIndex(root) {
  const folder = join(root, "src/tools");
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !notTools.test(name))
    .sort();
  const tools = await descriptorsOf(root, folder, files);
  return render(tools.sort(byOrder));
}

async function descriptorsOf(root, folder, files) {
  const imports = files.map((name, i) => `import tool${i} from ${JSON.stringify(`./${name}`)};`);
  const list = files.map((name, i) => `[${JSON.stringify(name)}, tool${i}]`).join(", ");
  const contents = `import { jsonSchemaOf } from "./parts/schema.ts";\n${imports.join("\n")}\nexport { jsonSchemaOf };\nexport default [${list}];`;
  // Below the root, so that the bundle finds zod; never in src, so that no other tool sees it.
  const directory = mkdtempSync(join(root, "node_modules/.manifest-"));
  try {
    const outfile = join(directory, "tools.mjs");
    const stdin = { contents, resolveDir: folder, loader: "ts" };
    await build({
      stdin,
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      logLevel: "error",
    });
    const bundle = await import(pathToFileURL(outfile).href);
    return bundle.default.map(([file, tool]) => describe(file, tool, bundle.jsonSchemaOf));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function describe(file, tool, jsonSchemaOf) {
  if (typeof tool?.prepare !== "function") throw new Error(`src/tools/${file} has no default export of defineTool`);
  const { name, verb, alias, aka, family, order, effects, mayRead, polls, needs, description, salvage, terms } = tool;
  const input = jsonSchemaOf(tool.schema);
  return {
    file,
    descriptor: {
      name,
      verb,
      alias,
      aka,
      family,
      order,
      effects,
      mayRead,
      polls,
      needs,
      description,
      input,
      salvage,
      terms,
    },
  };
}

function byOrder(a, b) {
  const place = ({ descriptor }) => descriptor.order ?? Number.POSITIVE_INFINITY;
  if (place(a) !== place(b)) return place(a) - place(b);
  return a.descriptor.name < b.descriptor.name ? -1 : 1;
}

function render(tools) {
  const entries = tools.map(({ file, descriptor }) => {
    const data = JSON.stringify(descriptor, null, 2).replaceAll("\n", "\n    ");
    return `  lazyEntry(\n    ${data},\n    () => import("./${file.replace(/\.ts$/, ".js")}"),\n  ),\n`;
  });
  return `// Generated from the files of this folder by \`npm run manifest\`. Do not edit.

import type { ToolEntry } from "../core/tool.js";
import { lazyEntry } from "./parts/entry.js";

export const builtinTools: readonly ToolEntry[] = [
${entries.join("")}];
`;
}

function readFile(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}
