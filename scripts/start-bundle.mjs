// Bundles a program in two layers: one file with every module that its start loads anyway, and the rest in chunks that
// load on first use. A bundler that only splits cuts the start into as many files as there are different users of its
// modules (26 here), and each costs node a quarter of a millisecond before the first request.
// Invariant: every module exists once. The lazy layer has none of the start's modules; it imports them from the start's
// file. No package may be on the start path: that is an error here.

import { join, relative } from "node:path";
import { build } from "esbuild";

/**
 * `eager`: modules (paths from `root`) that every start runs through; main.js exports what they do.
 * Returns esbuild results whose files go to `outdir`: main.js, lazy/*.js and chunks/*.js.
 */
export async function bundleStart({ root, eager, outdir, shared, plugins, external }) {
  const probe = await build({ ...shared, entryPoints: [...eager], outdir, splitting: true, plugins, external });
  const { inputs } = probe.metafile;
  const start = reach(inputs, eager);
  const foreign = [...start].filter((path) => !path.startsWith("src/"));
  if (foreign.length > 0)
    throw new Error(`build: a package is on the start path, load it later: ${foreign.join(", ")}`);
  const lazy = lazyEntries(inputs, start);
  const names = await exportNames({ root, start, shared, outdir });
  const options = { root, start, lazy, names, outdir, shared, plugins, external };
  return [await startLayer(options), await lazyLayer(options)];
}

/** Everything that is loaded when `from` are, following static imports. */
function reach(inputs, from) {
  const seen = new Set();
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    for (const found of inputs[path].imports) {
      if (!found.external && found.kind !== "dynamic-import") waiting.push(found.path);
    }
  }
  return seen;
}

/** What the start imports dynamically: module -> name of its file in lazy/. */
function lazyEntries(inputs, start) {
  const found = [...start].flatMap((path) => inputs[path].imports).filter(({ kind }) => kind === "dynamic-import");
  const paths = [...new Set(found.map(({ path }) => path))].filter((path) => inputs[path] && !start.has(path)).sort();
  return new Map(paths.map((path) => [path, path.replace(/^src\/|\.[a-z]+$/g, "").replaceAll("/", "-")]));
}

/** The names that each module exports; types are gone by then. */
async function exportNames({ root, start, shared, outdir }) {
  const paths = [...start].filter((path) => !path.endsWith(".json"));
  const { metafile } = await build({ ...shared, bundle: false, entryPoints: paths, outdir, outbase: root });
  const rows = Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint, exports]);
  const json = [...start].filter((path) => path.endsWith(".json")).map((path) => [path, ["default"]]);
  return new Map([...rows, ...json]);
}

/** What main.js exports of a module: its own names, or `m7_name` where two modules of the start use the same. */
function exportsOf(path, { start, names }) {
  const own = names.get(path) ?? [];
  const taken = (name) => [...names].some(([other, list]) => other !== path && list.includes(name));
  if (!own.some((name) => name === "default" || taken(name))) return own.map((name) => ({ name, alias: name }));
  const number = [...start].indexOf(path);
  return own.map((name) => ({ name, alias: `m${number}_${name}` }));
}

async function startLayer(options) {
  const { root, start, lazy, outdir, shared, external } = options;
  const lines = [...start].map((path) => {
    const list = exportsOf(path, options).map(({ name, alias }) => `${name} as ${alias}`);
    // As the sources ask for it, or it would be two modules.
    const as = path.endsWith(".json") ? ' with { type: "json" }' : "";
    return list.length > 0 ? `export { ${list.join(", ")} } from "./${path}"${as};` : `import "./${path}";`;
  });
  const stdin = { contents: lines.join("\n"), resolveDir: root, sourcefile: "start" };
  const leaveLazy = (builder) =>
    builder.onResolve({ filter: /./ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === "asked") return undefined;
      const { path: found } = await builder.resolve(path, { kind, resolveDir, pluginData: "asked" });
      const module = relative(root, found);
      const file = lazy.get(module);
      if (file !== undefined) return { path: `./lazy/${file}.js`, external: true };
      return start.has(module) ? ownFile(module, options) : undefined;
    });
  const plugins = [...options.plugins, { name: "leave-lazy", setup: leaveLazy }];
  return build({ ...shared, stdin, outfile: join(outdir, "main.js"), plugins, external });
}

/**
 * What is here already, as a dynamic import of the file by itself. Left to esbuild, that module and everything it imports would
 * be wrapped in functions, so that each could begin late, and node would read those twice at every start.
 */
function ownFile(module, options) {
  const renamed = exportsOf(module, options).filter(({ name, alias }) => name !== alias);
  if (renamed.length === 0) return { path: "./main.js", external: true };
  const names = renamed.map(({ name }) => name).join(", ");
  throw new Error(`build: ${module} is loaded late and at the start, and its ${names} is no name of its own`);
}

async function lazyLayer(options) {
  const { root, start, lazy, outdir, shared, external } = options;
  const fromStart = (builder) => {
    builder.onResolve({ filter: /./ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (path === "cinch-start") return { path: "../main.js", external: true };
      if (pluginData === "asked") return undefined;
      const { path: found } = await builder.resolve(path, { kind, resolveDir, pluginData: "asked" });
      if (!start.has(relative(root, found))) return undefined;
      const same = exportsOf(relative(root, found), options).every(({ name, alias }) => name === alias);
      // What esbuild injects is asked for like an entry, and cannot be external.
      if (same && kind !== "entry-point") return { path: "../main.js", external: true };
      return { path: found, namespace: "renamed" };
    });
    builder.onLoad({ filter: /./, namespace: "renamed" }, ({ path }) => {
      const list = exportsOf(relative(root, path), options).map(({ name, alias }) => `${alias} as ${name}`);
      return { contents: `export { ${list.join(", ")} } from "cinch-start";` };
    });
  };
  return build({
    ...shared,
    entryPoints: [...lazy].map(([path, name]) => ({ in: path, out: `lazy/${name}` })),
    outdir,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    plugins: [...options.plugins, { name: "from-start", setup: fromStart }],
    external,
  });
}
