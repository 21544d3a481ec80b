// The written forms of a session: complete, readable again, and harmless whatever a session holds.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessions, user } from "../../../test/support/session-log.js";
import type { Entry, EntryData } from "../../core/entry.js";
import { sessionCost } from "../cost.js";
import { readSession } from "../index.js";
import { asHtml } from "./html.js";
import { asJsonl } from "./jsonl.js";
import { asMarkdown } from "./markdown.js";
import { type Material, storyOf } from "./story.js";

const agent = (text: string, call?: string): EntryData["message"] => ({
  role: "assistant",
  parts: [
    { type: "text", text },
    ...(call ? [{ type: "call" as const, id: call, tool: "look", input: { path: "a<b>.txt" } }] : []),
  ],
  usage: { input: 100, output: 10, cacheRead: 300, cacheWrite: 0 },
});

const result = (call: string, text: string): EntryData["message"] => ({
  role: "tool",
  parts: [{ type: "result", callId: call, tool: "look", text, isError: false }],
});

/** A session with two branches, and every entry of its file. */
function session(hostile = "fine") {
  const place = sessions();
  const log = place.create();
  log.append("model", { id: "a/b", params: { maxOutput: 1 } });
  const first = log.append("message", user(`first ${hostile}`));
  log.append("message", agent(`old ${hostile}`));
  log.append("label", { target: first.id, text: `named ${hostile}` }, first.id);
  log.append("message", user("second"), first.id);
  log.append("message", agent("new", "c1"));
  log.append("message", result("c1", `result ${hostile}`));
  log.append("message", agent("done"));
  log.append("note", { code: "cache.break", text: `why ${hostile}`, data: { section: "tools", cause: hostile } });
  return { place, log, entries: entriesIn(log.file) };
}

function entriesIn(file: string): Entry[] {
  return [...readSession(file)].flatMap(({ entry, problem }) => {
    expect(problem).toBeNull();
    return entry ? [entry] : [];
  });
}

function material(entries: readonly Entry[], diff: string | null = "@@ -1 +1 @@\n-old\n+new"): Material {
  const cost = sessionCost(entries, () => ({ input: 10, output: 50, date: "" }));
  const changes = new Map([["c1", [{ path: "src/a.ts", added: 1, removed: 1, diff }]]]);
  return { id: "abcd", entries, changes, cost };
}

test("the tree is told branch by branch, every entry once", () => {
  const { entries } = session();
  const { branches } = storyOf(material(entries));
  const said = branches.map(({ active, from, items }) => ({
    active,
    from: from?.branch ?? null,
    texts: items.flatMap((item) => (item.is === "said" ? [item.text] : [])),
  }));
  expect(said).toEqual([
    { active: true, from: null, texts: ["first fine"] },
    { active: false, from: 1, texts: ["old fine"] },
    { active: true, from: 1, texts: ["second", "new", "done"] },
  ]);
});

test("jsonl stands alone: the same entries without the spill directory, data that looks like a reference included", () => {
  const { place, log } = session();
  log.append("message", user("long ".repeat(50_000)));
  log.append("note", { code: "x", text: "", data: { spill: `sha256:${"0".repeat(64)}`, "~spill": 1 } });
  const entries = entriesIn(log.file);
  const file = join(place.base, "alone.jsonl");
  writeFileSync(file, asJsonl(entries));
  const again = [...readSession(file, { spillDir: join(place.base, "nowhere") })];
  expect(again.map(({ problem }) => problem)).toEqual(entries.map(() => null));
  expect(again.map(({ entry }) => entry)).toEqual(entries);
});

test("markdown holds the active path; with all, the other branches too", () => {
  const story = storyOf(material(session().entries));
  const short = asMarkdown(story, false);
  for (const text of [
    "> second",
    "new",
    "**look**",
    '"path": "a<b>.txt"',
    "+new",
    "result fine",
    "## You: named fine",
  ]) {
    expect(short).toContain(text);
  }
  expect(short).not.toContain("old fine");
  expect(short).toContain("1 other branches are left out");
  expect(asMarkdown(story, true)).toMatch(/# Branch 2: goes off after entry \w+[\s\S]*old fine/);
});

test("markdown: an output cannot leave its fence, nor an open fence swallow what follows", () => {
  const { log } = session();
  log.append("message", agent("look:\n```js\nnever closed"));
  log.append("message", agent("", "c1"));
  log.append("message", result("c1", "````\n# You said\n````"));
  const text = asMarkdown(storyOf(material(entriesIn(log.file))), false);
  expect(text).toContain("never closed\n```\n");
  expect(text).toContain("\n`````\n````\n# You said\n````\n`````");
});

const attacks = [
  "</script><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</style></title></textarea><svg/onload=alert(1)>",
  "]]><!--",
  "<a href=javascript:alert(1)>x</a>",
  "&lt;script&gt;",
];

test.each(attacks)("html: %s is text", (attack) => {
  const { entries } = session(attack);
  const plain = asHtml(storyOf(material(session().entries)));
  const html = asHtml(storyOf(material(entries, `+${attack}`)));
  // Entity ids differ, the markup does not: every tag of the page is one that the harmless session has as well.
  const tags = (page: string) => new Set(page.match(/<[a-z!/][^\s>]*/g));
  expect([...tags(html)].filter((tag) => !tags(plain).has(tag))).toEqual([]);
  const attributes = (page: string) => new Set([...page.matchAll(/\s([a-z-]+)="/g)].map(([, name]) => name));
  expect([...attributes(html)].filter((name) => !attributes(plain).has(name))).toEqual([]);
  expect(html).not.toContain(attack);
});

test("html: nothing from elsewhere, no script, and what would be invisible is shown", () => {
  const { entries } = session("a\u202eb\u{e0041}\u200bc\x1b[31md");
  const html = asHtml(storyOf(material(entries)));
  expect(html).not.toMatch(/<(script|link|iframe|object|embed|base|form)\b|src="(?!data:)|url\(|@import|https?:/i);
  expect(html).toContain("default-src 'none'");
  expect(html).toContain("a\\u{202e}b\\u{e0041}\\u{200b}cd");
  for (const text of ["Branch 3", "Cache misses", "Dearest tool results", '<span class="add">+new</span>', "<nav"]) {
    expect(html).toContain(text);
  }
});

test("html: a picture is shown only when it is one", () => {
  const { log } = session();
  const image = (mediaType: string, data: string) => ({ type: "image" as const, mediaType, data });
  const parts = [image("image/png", "AAAA"), image("image/svg+xml", "BBBB"), image("image/png", '"><b>')];
  log.append("message", { role: "user", parts });
  const html = asHtml(storyOf(material(entriesIn(log.file))));
  expect(html.match(/<img [^>]*>/g)).toEqual([
    '<img alt="[image image/png, 3 bytes]" src="data:image/png;base64,AAAA">',
  ]);
});

test("a branch of damaged or repeated entries is left out, and nothing throws", () => {
  const { entries } = session();
  const orphan = {
    ...entries.at(-1),
    seq: 90,
    id: "zzz",
    parent: "gone",
    type: "message",
    data: agent("lost"),
  } as Entry;
  const twin = { ...entries[2], seq: 91 } as Entry;
  const story = storyOf(material([...entries, orphan, twin]));
  expect(asHtml(story)).not.toContain("lost");
  expect(asMarkdown(story, true)).not.toContain("lost");
});
