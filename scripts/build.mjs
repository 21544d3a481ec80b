// Builds dist/: the executable, code-split ESM bundles of the command line and of the public face, declarations in types/.
// Invariant: dist/ is usable at every instant. Chunks carry their hash in their name, so new ones are moved in first,
// entries replace their predecessors one by one, and what is no longer needed goes last; two builds take turns.
// Options: --no-types leaves dist/types alone; --if-stale does nothing when the sources are those of the last build.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, transform } from "esbuild";
import { writeManifest } from "./manifest.mjs";
import { bundleStart } from "./start-bundle.mjs";

/** What every run of the command line goes through before its first request; see start-bundle.mjs. */
const eager = ["src/cli/main.ts", "src/cli/headless.ts", "src/models/http.ts"];

/** File in dist/ -> module, for the entry points of the package. */
const faces = {
  index: "src/index.ts",
  tools: "src/tools/index.ts",
  models: "src/models/index.ts",
  session: "src/session/index.ts",
  testing: "src/testing.ts",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const stamp = join(dist, ".stamp");
const options = new Set(process.argv.slice(2));

mkdirSync(dist, { recursive: true });
const unlock = await lock(join(dist, ".lock"));
try {
  if (!options.has("--if-stale") || readOr(stamp, "") !== fingerprint()) await run();
} catch (error) {
  // esbuild has printed its errors with their places; its exception would only repeat them as a dump.
  console.error(error.errors ? "build: failed at the errors above; dist/ is as it was." : error);
  process.exitCode = 1;
} finally {
  unlock();
}

async function run() {
  await writeManifest(root);
  const made = fingerprint();
  const fresh = join(dist, `.new-${process.pid}`);
  try {
    await compile(fresh);
    if (!options.has("--no-types")) await declarations(join(fresh, "types"));
    install(fresh);
    writeFileSync(stamp, made);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function compile(outdir) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const shared = {
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    platform: "node",
    // jsonc-parser's UMD face calls a `require` that no bundler sees; its ESM face is under "module".
    mainFields: ["module", "main"],
    target: "node20",
    // A text beyond ASCII takes twice the memory as long as its functions live.
    charset: "ascii",
    // Names stay readable for stack traces; the rest shortens what node has to read and parse at every start.
    minifyWhitespace: true,
    minifySyntax: true,
    define: { __CINCH_VERSION__: JSON.stringify(version) },
    metafile: true,
    write: false,
    logLevel: "warning",
  };
  // Binaries on disk, found through their own packages.
  const rest = {
    external: ["@vscode/ripgrep", "oxc-parser", "web-tree-sitter"],
    plugins: [{ name: "less-zod", setup: leaveOut }],
  };
  write(outdir, [
    await build({ ...shared, ...executable(outdir) }),
    ...(await bundleStart({ root, eager, outdir: join(outdir, "cli"), shared, ...rest })),
    await build({
      ...shared,
      ...rest,
      entryPoints: faces,
      outdir,
      splitting: true,
      chunkNames: "chunks/[name]-[hash]",
    }),
  ]);
}

/** The executable stands alone, so that `--version` loads one file; what it imports beside that is the bundle in cli/. */
function executable(outdir) {
  const elsewhere = (builder) =>
    builder.onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: "./cli/main.js", external: true }));
  return {
    entryPoints: { cinch: "src/cli/cinch.ts" },
    outdir,
    plugins: [{ name: "main-elsewhere", setup: elsewhere }],
  };
}

function write(outdir, results) {
  for (const { path, text } of results.flatMap(({ outputFiles }) => outputFiles)) put(path, withRequire(text));
  // Programs of their own, started as processes or threads: copied as they are.
  for (const file of list(join(root, "src")).filter((name) => name.endsWith(".mjs"))) {
    put(join(outdir, file.replace(/\.mjs$/, ".js")), readFileSync(join(root, "src", file), "utf8"));
  }
  // Which modules ended up in which file: read by the start-up test.
  const outputs = Object.assign({}, ...results.map(({ metafile }) => metafile.outputs));
  const names = Object.keys(outputs).map((path) => [
    relative(outdir, join(root, path)).replaceAll(sep, "/"),
    outputs[path],
  ]);
  put(join(outdir, "meta.json"), JSON.stringify({ outputs: Object.fromEntries(names) }));
  const bin = join(outdir, "cinch.js");
  if (existsSync(bin)) chmodSync(bin, 0o755);
}

function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/**
 * What would be loaded or made and is not used: at the start of a terminal, tables of characters; by a provider's first request,
 * zod's messages in some fifty languages, and the whole of zod 3, of which the AI SDK only takes an enum (each member is named like its value) to read schemas nobody gives it.
 */
function leaveOut(builder) {
  builder.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
    contents: 'export { default as en } from "./en.js";',
  }));
  builder.onLoad({ filter: /zod\/v3\/index\.js$/ }, () => ({
    contents: "export const ZodFirstPartyTypeKind = new Proxy({}, { get: (_, name) => name });",
  }));
  // `import { z }` takes the whole of zod as one value; as a namespace, what is not used stays out (105 KB, 8 ms, 2 MB).
  // Tables of the runtime, 12 ms and 10, that only characters beyond the common ones need: made with the first of them.
  builder.onLoad({ filter: /pi-tui\/dist\/utils\.js$/ }, ({ path }) => {
    const text = readFileSync(path, "utf8");
    const contents = [
      ["segmenter", 'new Intl.Segmenter(undefined, { granularity: "grapheme" })', "segment"],
      ["rgiEmojiRegex", "/^\\p{RGI_Emoji}$/v", "test"],
    ].reduce((made, [name, value, method]) => {
      const whole = `const ${name} = ${value};`;
      if (!made.includes(whole)) throw new Error(`build: ${path} makes its ${name} in another way; put it off anew`);
      const late = `let late_${name}; const ${name} = { ${method}: (given) => (late_${name} ??= ${value}).${method}(given) };`;
      return made.replace(whole, () => late);
    }, text);
    return { contents };
  });
  // Names inside of packages are shortened, for node has to read them at every start; ours stay, for stack traces.
  builder.onLoad({ filter: /@ai-sdk\/[a-z-]+\/dist\/(internal\/)?index\.mjs$/ }, async ({ path }) => {
    const text = withHeaders(path).replace(
      /import \{ z(?: as (\w+))? \} from "zod\/v4";/g,
      (_, name = "z") => `import * as ${name} from "zod/v4";`,
    );
    return { contents: await shortened(text), resolveDir: dirname(path) };
  });
  builder.onLoad({ filter: /\/zod\/v4\/(core|classic)\/[a-z-]+\.js$/ }, async ({ path }) => ({
    contents: await shortened(readFileSync(path, "utf8")),
    resolveDir: dirname(path),
  }));
  builder.onLoad({ filter: /\/node_modules\/.*\.m?js$/ }, ({ path }) => ({
    contents: withHeaders(path),
    resolveDir: dirname(path),
  }));
}

/**
 * A package's module with our Headers: touching the global one makes node load all of its fetch (measured: 10 ms). All packages
 * get it or none: they pass headers to each other, and one that meets another class than its own takes them for empty.
 */
function withHeaders(path) {
  const text = readFileSync(path, "utf8");
  if (!/\b(?:new|instanceof) Headers\b/.test(text)) return text;
  if (!/^(?:import|export)\b/m.test(text))
    throw new Error(`build: ${path} uses the global Headers and is no ES module; give it src/models/headers.ts`);
  return `import { Headers } from ${JSON.stringify(join(root, "src/models/headers.ts"))};\n${text}`;
}

async function shortened(source) {
  const { code } = await transform(source, { minify: true, format: "esm", target: "node20" });
  return code;
}

/**
 * CommonJS dependencies call `require` for node's own modules, which ESM lacks. esbuild routes such calls through
 * `__require`, so only the file that defines it needs a real one; a banner on every file would cost every start.
 */
function withRequire(text) {
  if (!/\b__require\b\s*=/.test(text)) return text;
  const line =
    'import{createRequire as __makeRequire}from"node:module";const require=__makeRequire(import.meta.url);\n';
  const shebang = text.startsWith("#!") ? text.slice(0, text.indexOf("\n") + 1) : "";
  return shebang + line + text.slice(shebang.length);
}

async function declarations(outdir) {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const config = join(root, "tsconfig.build.json");
  try {
    await promisify(execFile)(process.execPath, [tsc, "-p", config, "--outDir", outdir], { cwd: root });
  } catch (error) {
    throw new Error(
      `build: the declarations could not be written; dist/ is as it was.\n${error.stdout || error.message}`,
    );
  }
}

/** Moves `fresh` into dist/, what is imported before what imports it; then drops what the new build does not have. */
function install(fresh) {
  const files = list(fresh).sort((a, b) => depth(b) - depth(a));
  for (const file of files) {
    mkdirSync(dirname(join(dist, file)), { recursive: true });
    renameSync(join(fresh, file), join(dist, file));
  }
  const keep = new Set(files);
  for (const file of list(dist)) {
    const own = file.startsWith(".") || (options.has("--no-types") && file.startsWith(`types${sep}`));
    if (!keep.has(file) && !own) rmSync(join(dist, file));
  }
}

/** Chunks lie deeper than entries, the bundle of the command line deeper than the executable. */
function depth(file) {
  return file.split(sep).length;
}

function list(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
}

/** Changes when any source of the build does. */
function fingerprint() {
  const hash = createHash("sha256");
  const sources = ["src", "scripts"].flatMap((folder) => list(join(root, folder)).map((file) => join(folder, file)));
  for (const file of [
    ...sources.filter((file) => !file.endsWith(".test.ts")),
    "package.json",
    "tsconfig.json",
  ].sort()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Waits until no other build runs; a lock whose process is gone is taken over. */
async function lock(path) {
  for (let waited = 0; ; waited += 100) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (!alive(Number(readOr(path, "")))) rmSync(path, { force: true });
    else if (waited > 120_000)
      throw new Error(`build: another build has held ${path} for two minutes; end it or remove the file.`);
    else await sleep(100);
  }
}

function alive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}
