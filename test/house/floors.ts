// The rules of the house as a pure function: a file and one of its imports in, a complaint or nothing out.
//   floor 0 core · 1 lib · 2 capabilities (siblings) · 3 tools · 4 agent · 5 harness · 6 public entries · 7 bench, build · 8 cli
// An import goes to a lower floor or stays in its folder. `import type` counts, dynamic imports count.

import { type Import, isTest, type Source, targetOf } from "./source.js";

const capabilities = [
  ...["config", "models", "prompt", "session", "compaction", "files", "syntax", "permission", "trust", "sandbox"],
  ...["secrets", "applets", "hooks", "mcp", "skills", "plugins", "lsp", "tasks", "agents"],
];

const floors: ReadonlyMap<string, number> = new Map([
  ["core", 0],
  ["lib", 1],
  ...capabilities.map((folder): [string, number] => [folder, 2]),
  ["tools", 3],
  ["agent", 4],
  ["harness", 5],
  ["index.ts", 6],
  ["testing.ts", 6],
  ["bench", 7],
  ["build", 7],
  ["cli", 8],
]);

/** The folder of a file, or the file itself when it lies directly in src/. */
function roomOf(path: string): string {
  return path.split("/")[0] ?? path;
}

export function floorOf(path: string): number | undefined {
  return floors.get(roomOf(path));
}

/** Rooms that take from fewer floors than those below them. */
const onlyFrom: ReadonlyMap<string, (target: string) => boolean> = new Map([
  ["tools", (target) => (floorOf(target) ?? 9) <= 1],
  // On the public face, like any other program built on Cinch. Ten thousand records are written as their store writes them.
  ["bench", (target) => reachedByBench(target) || target === "tasks/store.ts"],
]);

function reachedByBench(target: string): boolean {
  return (floorOf(target) ?? 9) <= 1 || floorOf(target) === 6 || roomOf(target) === "harness";
}

const guarded: readonly { modules: readonly string[]; where: (path: string) => boolean; place: string }[] = [
  {
    modules: ["fs", "fs/promises"],
    where: (path) => ["lib", "files"].includes(roomOf(path)),
    place: "lib/ and files/",
  },
  { modules: ["child_process"], where: (path) => path === "lib/process.ts", place: "lib/process.ts" },
];

/** Why `from` may not have this import, or null. */
export function complaint(from: string, { specifier }: Import): string | null {
  const target = targetOf(from, specifier);
  return target === undefined ? moduleComplaint(from, specifier) : floorComplaint(from, target);
}

function moduleComplaint(from: string, specifier: string): string | null {
  // Tests put real files into temporary directories and start real programs.
  if (isTest(from)) return null;
  const name = specifier.replace(/^node:/, "");
  const rule = guarded.find(({ modules }) => modules.includes(name));
  return rule && !rule.where(from) ? `imports ${specifier}, which is imported only in ${rule.place}` : null;
}

function floorComplaint(from: string, target: string): string | null {
  if (target.startsWith("..")) return isTest(from) ? null : `imports ${target}, which is outside src/`;
  if (roomOf(from) === roomOf(target)) return null;
  const [own, other] = [floorOf(from), floorOf(target)];
  if (own === undefined) return `lies in ${roomOf(from)}, which has no floor; add it to test/house/floors.ts`;
  if (other === undefined) return `imports ${target}, which has no floor; add it to test/house/floors.ts`;
  if (other > own) return `floor ${own} imports ${target}, floor ${other}: an import may only go down`;
  if (other === own) return `imports ${target}, a sibling on floor ${own}: pass it in from harness/ instead`;
  const allowed = onlyFrom.get(roomOf(from));
  return allowed && !allowed(target) && !isTest(from)
    ? `imports ${target}, which ${roomOf(from)}/ may not reach`
    : null;
}

/** Cycles among value imports, each as the list of its files. Static ones: those decide the order of evaluation. */
export function cycles(files: readonly Source[], importsOf: (source: Source) => Import[]): string[][] {
  const edges = new Map(
    files.map((source) => [
      source.path,
      importsOf(source)
        .filter(({ kind }) => kind === "static" || kind === "export")
        .map(({ specifier }) => targetOf(source.path, specifier))
        .filter((target) => target !== undefined),
    ]),
  );
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: string[]) => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path]);
    if (at >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return found;
}
