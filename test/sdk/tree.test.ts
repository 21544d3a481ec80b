// A session as a tree on disk: what is kept across a restart, how entries are named, and what becomes of damage. The numbers
// are those of the catalogue of cases (D 80, 83 to 85). Branches are tree-branches.test, sessions as files sessions.test.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { activeTexts, fileOf, sessionsOf, withText } from "../support/session-tree.js";
import { say, stage } from "../support/stage.js";

describe("D 80: a restart", () => {
  it("keeps the active path and labels, and changes no earlier byte", async () => {
    const set = await stage([say("one"), say("two")]);
    const session = await set.open();
    await session.send("first");
    const before = await session.tree();
    await session.label(withText(before, "one").id, "good start");
    await session.close();
    const file = await fileOf(set);
    const bytes = readFileSync(file);

    const again = await set.open({}, true);
    const tree = await again.tree();
    expect(activeTexts(tree)).toEqual(["first", "one"]);
    expect(withText(tree, "one").label).toBe("good start");
    await again.send("second");
    await again.close();
    expect(readFileSync(file).subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect(activeTexts(await sessionsOf(set).tree())).toEqual(["first", "one", "second", "two"]);
  });

  it("an empty label takes the name away", async () => {
    const set = await stage([say("one")]);
    const session = await set.open();
    await session.send("first");
    const { id } = withText(await session.tree(), "one");
    await session.label(id.slice(0, 8), "x");
    await session.label("x", "");
    expect(withText(await session.tree(), "one").label).toBeNull();
    await expect(session.label(id, "two\nlines")).rejects.toThrow("one line");
  });
});

it("D 83: after a torn last line the earlier entries are intact and the new one can be read", async () => {
  const set = await stage([say("one"), say("two")]);
  const session = await set.open();
  await session.send("first");
  await session.close();
  const file = await fileOf(set);
  writeFileSync(file, `${readFileSync(file, "latin1")}{"v":1,"seq":99,"id":"aaaaaaaa`, "latin1");
  const again = await set.open({}, true);
  await again.send("second");
  await again.close();
  expect(activeTexts(await sessionsOf(set).tree())).toEqual(["first", "one", "second", "two"]);
});

it("D 84: an ambiguous prefix lists the candidates; eight characters are enough for label and fork", async () => {
  const set = await stage([say("one"), say("two")]);
  const session = await set.open();
  await session.send("first");
  await session.send("second");
  const { entries } = await session.tree();
  const message = await session.label("", "x").catch((error: Error) => error.message);
  expect(message).toContain('There is no entry ""');
  const first = (entries[0]?.id ?? "").slice(0, 1);
  const alike = entries.filter(({ id }) => id.startsWith(first));
  await session.label(entries[0]?.id ?? "", "twin");
  await session.label(entries[1]?.id ?? "", "twin");
  const refusal = (await session.fork("twin").catch((error: Error) => error.message)) as string;
  for (const { id } of entries.slice(0, 2)) expect(refusal).toContain(id);
  if (alike.length > 1) await expect(session.fork(first)).rejects.toThrow(`fits ${alike.length} entries`);
  const { id } = withText(await session.tree(), "one");
  expect(await session.label(id.slice(0, 8), "eight")).toBe(id);
  expect(await session.fork(id.slice(0, 8))).toMatchObject({ head: id });
});

it("a label that reads like the id of another entry is refused as ambiguous, not believed", async () => {
  const set = await stage([say("one"), say("two")]);
  const session = await set.open();
  await session.send("first");
  await session.send("second");
  const [one, two] = [withText(await session.tree(), "one"), withText(await session.tree(), "two")];
  await session.label(one.id, two.id.slice(0, 8));
  const refusal = (await session.fork(two.id.slice(0, 8)).catch((error: Error) => error.message)) as string;
  for (const { id } of [one, two]) expect(refusal).toContain(id);
  await session.label(one.id, two.id.slice(0, 2));
  expect(await session.fork(two.id.slice(0, 2))).toMatchObject({ head: one.id });
});

it("D 85: a changed payload is an integrity error of that entry, and is only ever data", async () => {
  const set = await stage([say("one"), say("two")]);
  const session = await set.open();
  await session.send("first");
  await session.send("second");
  await session.close();
  const file = await fileOf(set);
  const bytes = readFileSync(file, "latin1");
  writeFileSync(file, bytes.replace('"text":"two"', '"text":"$(touch pwned)"'), "latin1");
  const tree = await sessionsOf(set).tree();
  expect(tree.damaged).toBe(1);
  expect(activeTexts(tree)).toEqual(["first", "one", "second"]);
  const again = await set.open({}, true);
  expect(again.init.notices.join("\n")).toMatch(/line \d+/);
  expect(readdirSync(set.root)).toEqual([".git"]);
});
