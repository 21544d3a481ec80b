// FORMAT.md is enough to write a reader in another language: one in Python, written from that page, finds the same active path
// as ours in sessions with branches, long texts, odd strings, and damage.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { needs } from "../../test/support/needs.js";
import { sessions, user } from "../../test/support/session-log.js";
import type { SessionLog } from "./log.js";

const reader = fileURLToPath(new URL("../../test/support/session-reader.py", import.meta.url));

/** The active paths of the files, as the reader in Python sees them. */
function theirs(...files: string[]): unknown[] {
  const out = execFileSync("python3", [reader, ...files], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

const ours = (log: SessionLog) => log.path().map(({ id, type, data }) => [id, type, data]);

function talk(log: SessionLog): void {
  const first = log.append("message", user("caf\u00e9 \u2028 \ud83d\ude00 \ud800\n\0"));
  log.append("note", { code: "x", text: "beside", data: { spill: "sha256:none", "~spill": { spill: 1 } } });
  log.append("message", user("\u00e9".repeat(40_000)));
  log.append("message", user(`${"x".repeat(70_000)}\ud800`));
  log.append("head", { target: first.id });
  log.append("message", { ...user("another branch"), origin: "user" });
  log.append("message", { role: "assistant", parts: [{ type: "text", text: "yes" }], stop: "end" });
}

needs("python3")("a reader in Python, written from FORMAT.md, finds the same path", async () => {
  const { create, open } = sessions();
  const log = create();
  talk(log);
  const whole = ours(log);
  await log.close();
  expect(whole).toHaveLength(3);
  expect(theirs(log.file)).toEqual([whole]);

  // Back to the branch with the long texts.
  const again = open(log.file);
  const long = again.tree.nodes.filter(({ type }) => type === "message")[2];
  again.append("head", { target: long?.id ?? null });
  again.append("message", user("on"));
  const back = ours(again);
  await again.close();
  expect(back).toHaveLength(4);
  expect(theirs(log.file)).toEqual([back]);

  // One bit at a time, in every line, and a tail that was never finished.
  const bytes = readFileSync(log.file);
  const files: string[] = [];
  for (let at = 40; at < bytes.length; at += 47) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 7));
    const file = log.file.replace(/\w+\.jsonl$/, `flip${at}.jsonl`);
    writeFileSync(file, Buffer.concat([flipped, Buffer.from('{"v":1,"se')]));
    files.push(file);
  }
  const seen = theirs(...files);
  for (const [i, file] of files.entries()) {
    const damaged = open(file);
    expect(seen[i], file).toEqual(ours(damaged));
    await damaged.close();
  }
});
