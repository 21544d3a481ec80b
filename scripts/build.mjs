// Builds dist/: one code-split ESM bundle with an entry per public face, and declarations in dist/types.
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
import { build } from "esbuild";
import { writeManifest } from "./manifest.mjs";

/** File in dist/ -> module in src/. The first is the executable. */
const entries = {
  cinch: "cli/cinch.ts",
  index: "index.ts",
  tools: "tools/index.ts",
  models: "models/index.ts",
  session: "session/index.ts",
  testing: "testing.ts",
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
    await bundle(fresh);
    if (!options.has("--no-types")) await declarations(join(fresh, "types"));
    install(fresh);
    writeFileSync(stamp, made);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function bundle(outdir) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const result = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(present()),
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    charset: "utf8",
    chunkNames: "chunks/[name]-[hash]",
    // Names stay readable for stack traces; the rest shortens what node has to read and parse at every start.
    minifyWhitespace: true,
    minifySyntax: true,
    // A binary on disk, found through its own package.
    external: ["@vscode/ripgrep"],
    define: { __CINCH_VERSION__: JSON.stringify(version) },
    plugins: [{ name: "less-zod", setup: leaveOut }],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  for (const file of result.outputFiles) {
    mkdirSync(dirname(file.path), { recursive: true });
    writeFileSync(file.path, withRequire(file.text));
  }
  mkdirSync(outdir, { recursive: true });
  writeFileSync(join(outdir, "meta.json"), JSON.stringify(result.metafile));
  const bin = join(outdir, "cinch.js");
  if (existsSync(bin)) chmodSync(bin, 0o755);
}

/**
 * What a provider's first request would load and never use: zod's messages in some fifty languages, and the whole of
 * zod 3, of which the AI SDK only takes an enum (each member is named like its value) to read schemas nobody gives it.
 */
function leaveOut(builder) {
  builder.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
    contents: 'export { default as en } from "./en.js";',
  }));
  builder.onLoad({ filter: /zod\/v3\/index\.js$/ }, () => ({
    contents: "export const ZodFirstPartyTypeKind = new Proxy({}, { get: (_, name) => name });",
  }));
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

function present() {
  const all = Object.entries(entries).map(([name, path]) => [name, join("src", path)]);
  const missing = all.filter(([, path]) => !existsSync(join(root, path)));
  for (const [name, path] of missing) console.error(`build: no ${path} yet, dist/${name}.js is left out`);
  return all.filter((entry) => !missing.includes(entry));
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

/** Moves `fresh` into dist/: chunks, then declarations and entries; then drops what the new build does not have. */
function install(fresh) {
  const files = list(fresh).sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)));
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

function isEntry(file) {
  return !file.includes(sep);
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
