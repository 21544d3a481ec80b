import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { header, sessions, user } from "../../test/support/session-log.js";
import { type Fs, nodeFs } from "../lib/fs.js";
import { SessionLog } from "./log.js";
import { isSessionId, listSessions, newest, projectKey, resolveSession, sessionDir } from "./store.js";

let { base, ports } = sessions();

beforeEach(() => {
  ({ base, ports } = sessions());
});

/** A session that was last written `age` seconds ago. */
async function made(project: string, id: string, age: number, label?: string): Promise<string> {
  const log = SessionLog.create({
    ...ports,
    dir: sessionDir(base, project),
    id,
    header: { ...header, root: `/${project}` },
  });
  if (label) log.append("label", { target: log.tree.nodes[0]?.id ?? "", text: label });
  log.append("message", user("x".repeat(9000)));
  await log.close();
  utimesSync(log.file, 1e9 - age, 1e9 - age);
  return log.file;
}

test("a project's key is its basename and a hash of its root", () => {
  expect(projectKey("/home/me/cinch")).toMatch(/^cinch-[0-9a-f]{8}$/);
  expect(projectKey("/home/me/cinch")).not.toBe(projectKey("/home/you/cinch"));
  expect(projectKey("/")).toMatch(/^root-[0-9a-f]{8}$/);
  expect(projectKey("/a\n\u001b[31mb")).toMatch(/^a__\[31mb-/);
  expect(Buffer.byteLength(projectKey(`/${"é".repeat(127)}`))).toBeLessThan(255);
});

test("listing is newest first, reads 4 KB of each file, and names what is damaged", async () => {
  await made("p", "aaaa", 30);
  await made("p", "bbbb", 10, "good one");
  await made("p", "cccc", 20);
  const dir = sessionDir(base, "p");
  writeFileSync(join(dir, "dddd.jsonl"), "");
  writeFileSync(join(dir, "eeee.jsonl"), "rubbish\n");
  writeFileSync(join(dir, "aaaa.torn-1"), "x");
  symlinkSync("aaaa.jsonl", join(dir, "ffff.jsonl"));
  mkdirSync(join(dir, "gggg.jsonl"));
  let most = 0;
  const readSync = ((...all: Parameters<Fs["readSync"]>) => {
    most = Math.max(most, nodeFs.readSync(...all));
    return most;
  }) as Fs["readSync"];
  const found = listSessions({ ...nodeFs, readSync }, dir);
  expect(most).toBe(4096);
  const sound = found.filter((info) => info.problem === null);
  expect(sound.map((info) => info.id)).toEqual(["bbbb", "cccc", "aaaa"]);
  expect(sound[0]).toMatchObject({ root: "/p", created: "2026-01-01", label: "good one", mtime: (1e9 - 10) * 1000 });
  expect(sound[0]?.size).toBe(statSync(join(dir, "bbbb.jsonl")).size);
  const damaged = found.filter((info) => info.problem !== null).map((info) => [info.id, info.problem]);
  expect(damaged.sort()).toEqual([
    ["dddd", "is empty"],
    ["eeee", "does not begin with a session header"],
  ]);
  expect(newest(nodeFs, dir)?.id).toBe("bbbb");
});

test("a session whose first line is damaged is still the newest one: opening it says what is wrong", async () => {
  await made("p", "aaaa", 30);
  await made("p", "bbbb", 10, "named");
  const file = join(sessionDir(base, "p"), "bbbb.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace("cinch-session", "cinch\u0000session"));
  expect(newest(nodeFs, sessionDir(base, "p"))).toMatchObject({ id: "bbbb", problem: "has a damaged first line" });
});

test("no directory is no sessions", () => {
  expect(listSessions(nodeFs, join(base, "nowhere"))).toEqual([]);
  expect(newest(nodeFs, join(base, "nowhere"))).toBeNull();
});

test("a query finds an id, a unique prefix or a label: here first, then anywhere", async () => {
  await made("here", "abcd0001", 1);
  await made("here", "abce0002", 2, "abcd");
  await made("there", "abcd0003", 3);
  await made("there", "wxyz0004", 4, "far");
  const find = (query: string) => resolveSession(nodeFs, base, "here", query).id;
  expect(find("abcd0001")).toBe("abcd0001");
  expect(find("abcd0")).toBe("abcd0001");
  expect(find("abcd")).toBe("abce0002");
  expect(find("abcd0003")).toBe("abcd0003");
  expect(find("far")).toBe("wxyz0004");
  expect(find("wxyz")).toBe("wxyz0004");
  expect(() => find("abc")).toThrow(
    expect.objectContaining({ message: 'there is no session "abc"', fix: expect.stringContaining("4 characters") }),
  );
});

test("an ambiguous query lists the candidates, an unknown one the newest", async () => {
  await made("here", "abcd0001", 2);
  await made("here", "abcd0002", 1, "second");
  const find = (query: string) => () => resolveSession(nodeFs, base, "here", query);
  expect(find("abcd")).toThrow(/fits 2 sessions: abcd0002 \(\/here, 2026-01-01\), abcd0001/);
  expect(find("nope")).toThrow(
    expect.objectContaining({ exit: 2, fix: "The newest are: abcd0002 (second), abcd0001." }),
  );
  expect(() => resolveSession(nodeFs, join(base, "none"), "here", "nope")).toThrow(
    expect.objectContaining({ fix: "There are no sessions yet." }),
  );
});

test.each(["", "../abcd", "-rf", "a/b", "a\\b", "ab\0cd", "ab\ncd", ".."])(
  "%j is refused before any look at the disk",
  (query) => {
    expect(() => resolveSession({} as Fs, base, "here", query)).toThrow(/is not a session id/);
    expect(isSessionId(query)).toBe(false);
  },
);

test("looking changes nothing", async () => {
  const file = await made("p", "aaaa", 5);
  const before = readFileSync(file);
  listSessions(nodeFs, sessionDir(base, "p"));
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(statSync(file).mtimeMs).toBe((1e9 - 5) * 1000);
});
