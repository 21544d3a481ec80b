// Images in the terminal interface that are not sent at once: while the agent works, taken back, changed, gone back to.

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shows } from "../support/app.js";
import { bytesOf } from "../support/keys.js";
import { mark, paste, patient, type Seeing, seeing, sent, waiting } from "../support/seeing.js";

describe("while the agent works", () => {
  const queued = async (s: Seeing, key = "\r") => {
    s.tty.type("go\r");
    await s.tty.until("◐ run until");
    s.tty.type(`see ${paste("shot.png")}${key}`);
    await s.tty.until(`${key === "\r" ? "⋯" : "↯"} see ${mark}`);
    rmSync(join(s.project, "shot.png"));
  };

  test.each([
    ["waits with its message", "\r", 2],
    ["is said at once with Ctrl+T", bytesOf("ctrl+t"), 1],
  ])("an image %s", async (_name, key, request) => {
    const s = await seeing([waiting, { text: "One." }, { text: "Two." }]);
    await queued(s, key);
    writeFileSync(join(s.project, "go"), "");
    await expect.poll(() => s.events.some(({ type }) => type === "run.end"), patient).toBe(true);
    expect(s.said(request)).toEqual(sent(`see ${mark}`));
  });

  test("what waits comes back with its mark, and so does what a cancelled run has left over", async () => {
    const s = await seeing([waiting, { text: "One." }]);
    await queued(s);
    s.tty.type(bytesOf("alt+up"));
    await shows(s, `see ${mark}`);
    s.tty.type("\x7f\x1f\r");
    await s.tty.until(`⋯ see ${mark}`);
    s.tty.type("\x1b");
    await shows(s, `see ${mark}`);
    s.tty.type("\r");
    await s.tty.until("One.");
    expect(s.said(1)).toEqual(sent(`see ${mark}`));
  });
});

test("a waiting message that is changed keeps the images whose marks it keeps", async () => {
  const s = await seeing([waiting, { text: "One." }, { text: "Two." }], { size: [120, 24] });
  s.tty.type("go\r");
  await s.tty.until("◐ run until");
  s.tty.type(`see ${paste("shot.png other.gif")}\r`);
  await s.tty.until(`⋯ see ${mark}`);
  const [steer] = s.desk.session.loop().waiting;
  s.desk.session.revise(steer?.id ?? "", { text: `only ${mark}` });
  await s.tty.until(`⋯ only ${mark}`);
  writeFileSync(join(s.project, "go"), "");
  await s.tty.until("Two.");
  expect(s.said(2)).toEqual(sent(`only ${mark}`));
});

test("/rewind brings the image back, and nothing but its mark; a command takes none", async () => {
  const s = await seeing([{ text: "One." }, { text: "Two." }]);
  s.tty.type(`see ${paste("shot.png")}\r`);
  // A command waits for no run.
  await s.tty.until(/One\.[\s\S]*What is to be done\?/);
  s.tty.type("/rewind\r");
  await shows(s, `see ${mark}`);
  s.tty.type("\x7f\x7f again\r");
  await s.tty.until("Two.");
  expect(s.said(1)).toEqual([{ type: "text", text: "see again" }]);
  s.tty.type(`/compact ${paste("other.gif")}\r`);
  await s.tty.until("Commands take no images.");
  await shows(s, "/compact [image other.gif 5×4, 16 bytes]");
});

test("the conversation names an image once, under words that do not", async () => {
  const s = await seeing([{ text: "One." }, { text: "Two." }]);
  s.tty.type(`see ${paste("shot.png")}\r`);
  await s.tty.until("One.");
  await expect.poll(() => s.events.at(-1)?.type, patient).toBe("run.end");
  await s.desk.session.send({ text: "and", images: [{ path: "other.gif" }] });
  await s.tty.until("Two.");
  const rows = await s.tty.all();
  expect(rows.filter((row) => row.includes("[image "))).toEqual([`❯ see ${mark}`, "  [image other.gif 5×4, 16 bytes]"]);
});
