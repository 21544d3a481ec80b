// kill -9 in the middle of changes to large files: what is found afterwards is old or new, and nothing that was
// acknowledged is missing. The killed runs append, write, edit and rewrite. 20 times here, 200 times with CINCH_SLOW=1.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startDoomed } from "../support/killed.js";
import { tempDir } from "../support/run.js";
import type { Block, Body } from "../support/stage.js";
import { startAnthropic } from "../support/wire/anthropic.js";

const rounds = process.env["CINCH_SLOW"] === "1" ? 200 : 20;
const line = `${"x".repeat(79)}\n`;
const piece = line.repeat(1_000);
const version = (number: number) => `version ${number}\n${piece}`;
const kinds = ["appended", "created", "edited", "rewrote"] as const;

interface Asked {
  name: string;
  input: Record<string, unknown>;
  /** What an acknowledgement says first, and what is on disk from then on. */
  says?: (typeof kinds)[number];
  known?: () => void;
}

/** The model's side: what it asks for in turn, and what it was told is done. Only this must be found afterwards. */
class Work {
  readonly root: string;
  pieces = 0;
  readonly versions = { "b.txt": 0, "c.txt": 0 };
  readonly written = new Set<string>();
  readonly acknowledged: string[] = [];
  #message = 0;
  #calls = 1;
  #draft = 0;
  readonly #asked = new Map<string, Asked>();

  constructor(root: string) {
    this.root = root;
    for (const name of ["b.txt", "c.txt"]) writeFileSync(join(root, name), version(0));
    this.startOver();
  }

  /** A new session: nothing of what was asked before will be answered in it. */
  startOver(): void {
    this.pieces = 0;
    this.written.clear();
    this.#asked.clear();
    for (const name of this.files()) if (/^new/.test(name)) rmSync(join(this.root, name));
    writeFileSync(join(this.root, "a.txt"), "");
  }

  files(): string[] {
    return readdirSync(this.root).filter((name) => name.endsWith(".txt"));
  }

  text(name: string): string {
    return readFileSync(join(this.root, name), "utf8");
  }

  hear(body: string): void {
    const blocks = (JSON.parse(body) as Body).messages.flatMap(({ content }) => content);
    for (const { type, tool_use_id: id = "", is_error, content } of blocks) {
      const asked = type === "tool_result" ? this.#asked.get(id) : undefined;
      if (!asked?.says || is_error) continue;
      expect(textOf(content)).toMatch(new RegExp(`^${asked.says} `));
      asked.known?.();
      this.acknowledged.push(asked.says);
      this.#asked.delete(id);
    }
  }

  next(body: string) {
    const ref = createHash("sha256").update(version(this.#draft)).digest("hex").slice(0, 12);
    const calls = this.#turn(this.#message++ % 5, body.includes(`with ref ${ref}`) ? ref : undefined);
    return calls.map((asked) => {
      const id = `c${this.#calls++}`;
      this.#asked.set(id, asked);
      return { id, name: asked.name, input: asked.input };
    });
  }

  #turn(turn: number, ref: string | undefined): Asked[] {
    if (turn === 0) {
      const known = () => void this.pieces++;
      return [{ name: "append_file", input: { path: "a.txt", content: piece }, says: "appended", known }];
    }
    const number = this.#calls;
    if (turn === 1) {
      const path = `new${number}.txt`;
      const known = () => void this.written.add(path);
      return [{ name: "write_file", input: { path, content: version(number) }, says: "created", known }];
    }
    const path = turn === 2 ? "b.txt" : "c.txt";
    const content = ref === undefined || turn !== 4 ? number : this.#draft;
    const known = () => {
      this.versions[path] = content;
    };
    if (turn === 2) {
      const [old_string] = this.text(path).split("\n", 1);
      const input = { path, old_string, new_string: `version ${number}` };
      return [{ name: "edit_file", input, says: "edited", known }];
    }
    const whole = { path, ...(content === number ? { content: version(number) } : { ref }) };
    const write: Asked = { name: "write_file", input: whole as Asked["input"], says: "rewrote", known };
    if (turn === 4) return [{ name: "delete_file", input: { path } }, write];
    // Refused, and its content kept, unless a deletion from a killed run is still waiting for it.
    this.#draft = number;
    return [write];
  }

  /** What is on disk is whole, and at least what was acknowledged. */
  check(round: string): void {
    const a = this.text("a.txt");
    expect(a === piece.repeat(a.length / piece.length), `${round}: a.txt has ${a.length} characters`).toBe(true);
    expect(a.length / piece.length, round).toBeGreaterThanOrEqual(this.pieces);
    for (const name of ["b.txt", "c.txt"] as const) {
      expect(this.files(), round).toContain(name);
      expect(this.numberOf(name, round)).toBeGreaterThanOrEqual(this.versions[name]);
    }
    for (const name of this.files()) if (/^new/.test(name)) this.numberOf(name, round);
    expect(this.files(), round).toEqual(expect.arrayContaining([...this.written]));
  }

  numberOf(name: string, round: string): number {
    const text = this.text(name);
    const number = Number(/^version (\d+)\n/.exec(text)?.[1]);
    expect(text === version(number), `${round}: ${name} is half, ${text.length} characters`).toBe(true);
    return number;
  }
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : ((content as Block[])[0]?.text ?? "");
}

test(`killed ${rounds} times at any moment: no half file, no acknowledged byte lost`, {
  timeout: 600_000,
}, async () => {
  const base = tempDir();
  const root = join(base, "project");
  mkdirSync(join(root, ".git"), { recursive: true });
  const work = new Work(root);
  let atCall = 0;
  let strike = 0;
  let kill = () => {};
  let wrong: unknown;
  const server = await startAnthropic(({ body }) => {
    try {
      work.hear(body);
    } catch (error) {
      wrong ??= error;
      kill();
    }
    if (++atCall === strike) setTimeout(kill, Math.random() * 12);
    return { calls: work.next(body), chunk: 4_000 };
  });
  // The pieces are large, and this model has no summary to give.
  mkdirSync(join(base, "home"), { recursive: true });
  const settings = { models: { windows: { "anthropic/claude-sonnet-4-5": 100_000_000 } } };
  writeFileSync(join(base, "home", "settings.json"), JSON.stringify(settings));
  const start = (args: readonly string[]) => {
    const doomed = startDoomed({ root, home: join(base, "home"), url: server.url }, args);
    kill = doomed.kill;
    return doomed.ended;
  };
  try {
    let answered = 0;
    for (let round = 0; round < rounds; round++) {
      const before = work.acknowledged.length;
      atCall = 0;
      // Every fourth one dies in its first call.
      strike = round % 4 === 3 ? 1 : 2 + Math.floor(Math.random() * 4);
      if (round % 5 === 0) work.startOver();
      const ended = await start(["--max-turns", "9", ...(round % 5 === 0 ? [] : ["-c"])]);
      if (wrong) throw wrong;
      expect(ended).toEqual(["SIGKILL", expect.any(String)]);
      work.check(`round ${round}`);
      if (work.acknowledged.length > before) answered++;
    }
    expect(answered).toBeGreaterThanOrEqual(rounds / 2);
    expect(new Set(work.acknowledged)).toEqual(new Set(kinds));
    // The next change in the directory removes what the killed ones left there. One turn in five is refused and changes
    // nothing, so it takes two.
    strike = 0;
    await start(["--max-turns", "2"]);
    expect(readdirSync(root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(existsSync(join(root, "a.txt"))).toBe(true);
  } finally {
    await server.close();
  }
});
