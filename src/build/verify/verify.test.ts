// The levels together, through a real session, a real server and a real browser.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needs } from "../../../test/support/needs.js";
import { previewStage } from "../../../test/support/previews.js";
import { nodeFs } from "../../lib/fs.js";
import type { BuildPlan } from "../plan.js";
import type { Evidence, Level } from "../ports.js";
import { runThrough } from "../session-hands.js";
import { verifier } from "./index.js";

const server = `import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
createServer(async ({ url }, response) => {
  if (url === "/api/time") return response.end("25");
  const text = await readFile(url === "/" ? "public/index.html" : "public" + url).catch(() => null);
  const type = url.endsWith(".js") ? "text/javascript" : "text/html";
  response.writeHead(text ? 200 : 404, { "content-type": type }).end(text);
}).listen(process.env.PORT, process.env.HOST);
`;
const page = '<!doctype html><title>Timer</title><p id=time></p><script type=module src="/app.js"></script>';
const script = 'document.getElementById("time").textContent = await (await fetch("/api/time")).text();';

const sound = { "server.mjs": server, "public/index.html": page, "public/app.js": script };

function planOf(accept: string[] = ["test -f server.mjs"]): BuildPlan {
  const task = (id: string, files: string[], commands: string[] = []) => ({
    ...{ id, files, title: id, role: "all", prompt: "make it", exports: {}, accept: commands, after: [] },
  });
  const tasks = [task("back", ["server.mjs"], accept), task("front", ["public/index.html", "public/app.js"])];
  return { goal: "g", formation: "f", tasks, app: { start: "node server.mjs", path: "/" } };
}

interface Asked {
  levels: Level[];
  plan?: BuildPlan;
  mode?: "auto" | "ask";
  path?: string;
}

async function verified(files: Record<string, string>, { levels, plan = planOf(), mode = "auto", path }: Asked) {
  const { root, previews, session } = await previewStage(files, mode);
  const buildDir = join(root, ".cinch/build/one");
  const verify = verifier(nodeFs, path ?? process.env["PATH"] ?? "");
  const signal = new AbortController().signal;
  const found = await verify({
    project: root,
    root,
    plan,
    buildDir,
    levels,
    run: runThrough(session),
    previews,
    signal,
  });
  const proof = (each: Evidence | undefined) => readFileSync(join(buildDir, each?.artifact ?? "none"));
  return { found, proof, previews, root };
}

const wrong = (found: readonly Evidence[]) => found.filter(({ ok }) => !ok);

needs("chromium")("a sound build passes every level, with a picture of its page", async () => {
  const { found, proof, previews } = await verified(sound, { levels: ["L1", "L2", "L3", "L4"] });
  expect(wrong(found)).toEqual([]);
  expect(found.map(({ level }) => level)).toEqual(["L1", "L2", "L3", "L4"]);
  const [files, start, seen, accepted] = found;
  expect(files?.what).toBe("3 files are well: syntax, imports, references.");
  expect(start?.what).toMatch(/^It starts \(plan\) and answers at http:\/\/127\.0\.0\.1:\d+\/\.$/);
  expect(seen?.what).toMatch(/: title "Timer", 2 characters of text, no errors\.$/);
  expect(proof(seen).subarray(1, 4).toString()).toBe("PNG");
  expect(accepted).toMatchObject({ task: "back", what: "`test -f server.mjs` ended with exit code 0." });
  expect((await previews.status()).state).toBe("healthy");
});

needs("chromium")("what goes wrong in the page is its maker's to mend", async () => {
  const broken = {
    ...sound,
    "public/app.js": '\ndocument.getElementById("tme").textContent = 1;\nfetch("/api/gone");',
  };
  const { found } = await verified(broken, { levels: ["L3"] });
  expect(wrong(found)).toEqual([
    {
      level: "L3",
      ok: false,
      what: "The page throws (/): TypeError: Cannot set properties of null (setting 'textContent')",
      file: "public/app.js",
      line: 2,
      task: "front",
    },
  ]);
});

test("a server that does not start is its maker's, with what it printed", async () => {
  const broken = { ...sound, "server.mjs": "import './gone.mjs';" };
  const { found, proof } = await verified(broken, { levels: ["L1", "L2", "L3"] });
  const [missing, start, seen] = wrong(found);
  expect(missing).toMatchObject({ level: "L1", file: "server.mjs", line: 1, task: "back" });
  expect(start).toMatchObject({ level: "L2", file: "server.mjs", task: "back" });
  expect(start?.what).toContain("It has ended with exit code 1.\nIt printed last:");
  expect(proof(start).toString()).toContain("Cannot find module");
  expect(seen).toMatchObject({ level: "L3", unchecked: true, what: "Not checked in a browser: nothing answers." });
});

test("no browser is not checked, and not ok", async () => {
  const { found } = await verified(sound, { levels: ["L3"], path: "/nowhere" });
  expect(wrong(found)).toEqual([
    {
      ...{ level: "L3", ok: false, unchecked: true },
      what: "Not checked in a browser: no browser (chromium, google-chrome) is on PATH.",
    },
  ]);
});

test("acceptance: the end of a command is its proof", async () => {
  const plan = planOf(["echo one; echo two >&2; exit 3", "true"]);
  const { found, proof } = await verified(sound, { levels: ["L4"], plan });
  const [failed, passed] = found;
  expect(failed).toMatchObject({ ok: false, task: "back", artifact: "evidence/accept-back-1.log" });
  expect(failed?.what).toMatch(/ended with exit code 3\. It printed last:\none\ntwo\n/);
  expect(proof(failed).toString()).toMatch(/^\$ echo one; .*\none\ntwo\n.*\(ended with exit code 3\)\n$/s);
  expect(passed?.ok).toBe(true);
});

test("what nobody allows is not checked, and nothing of it runs", async () => {
  const plan = planOf(["touch ran"]);
  const { found, previews, root } = await verified(sound, { levels: ["L2", "L4"], plan, mode: "ask" });
  expect(found.map(({ level, ok, unchecked }) => [level, ok, unchecked])).toEqual([
    ["L2", false, true],
    ["L4", false, true],
  ]);
  expect(found[1]?.what).toBe("Not checked: `touch ran` was not allowed.");
  expect((await previews.status()).state).toBe("stopped");
  expect(existsSync(join(root, "ran"))).toBe(false);
});
