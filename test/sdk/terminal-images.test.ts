// Images in the terminal interface: paths that are dragged, pasted or completed become marks, and what goes to the model are the
// bytes that the mark was made of.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { candidatesOf } from "../../src/cli/tui/complete/sources.js";
import { type AppOptions, shows } from "../support/app.js";
import { bytesOf, keysAt } from "../support/keys.js";
import { mark, paste, seeing, sent, shot } from "../support/seeing.js";

describe("what becomes a mark", () => {
  test.each<[string, (project: string) => string]>([
    ["a path", (project) => `${project}/shot.png`],
    ["a path below the working directory, and what a terminal puts behind it", () => "shot.png "],
    ["a quoted path", (project) => `'${project}/my shots/shot.png'`],
    ["a path with backslashes", (project) => `${project}/my\\ shots/shot.png`],
    ["a path with blanks as they are", (project) => `${project}/my shots/shot.png`],
    ["an address", (project) => `file://${project}/my%20shots/shot.png`],
    ["a path from home", () => "~/shot.png"],
  ])("%s", async (_name, path) => {
    const parts: AppOptions["parts"] = {};
    const s = await seeing([{ text: "I see." }], {
      parts,
      prepare: (project) => Object.assign(parts, { home: project }),
    });
    s.tty.type(`look at${paste(path(s.project))}`);
    await shows(s, `look at ${mark}`);
    s.tty.type(" here\r");
    await s.tty.until("I see.");
    expect(s.said(0)).toEqual(sent(`look at ${mark} here`));
  });

  test("several at once, each its own; of one name, the second is called otherwise", async () => {
    const s = await seeing([{ text: "I see." }], { size: [200, 24] });
    writeFileSync(join(s.project, "my shots/shot.png"), Buffer.concat([shot.subarray(0, -1), Buffer.from("!")]));
    s.tty.type(paste("shot.png other.gif\n'my shots/shot.png' shot.png"));
    const second = "[image shot.png (2) 640×480, 12 KB]";
    await shows(s, `${mark} [image other.gif 5×4, 16 bytes] ${second} ${mark}`);
    s.tty.type("\r");
    await s.tty.until("I see.");
    const [, ...images] = s.said(0) as { source: { data: string } }[];
    const files = ["shot.png", "other.gif", "my shots/shot.png"].map((path) => readFileSync(join(s.project, path)));
    expect(images.map(({ source }) => source.data)).toEqual(files.map((bytes) => bytes.toString("base64")));
  });

  test("a completed path, also one that is written out", async () => {
    let candidates: ReturnType<typeof candidatesOf> = () => [];
    let refresh = () => {};
    const s = await seeing([{ text: "I see." }], {
      prepare: (project) => {
        candidates = candidatesOf({ root: project, env: process.env, refresh: () => refresh() });
      },
      parts: { candidates: (word) => candidates(word) },
    });
    refresh = () => s.app.recomplete();
    s.tty.type("@shot.png");
    await s.tty.until(/❯ shot\.png/);
    s.tty.type("\r\r");
    await s.tty.until("I see.");
    expect(s.said(0)).toEqual(sent(mark));
  });

  test("it is one thing to the cursor, to erasing and to undo, which also brings the path back", async () => {
    const s = await seeing([]);
    s.tty.type(`a ${paste("shot.png")}b`);
    await shows(s, `a ${mark}b`);
    s.tty.type(`${bytesOf("left")}${bytesOf("left")}X`);
    await shows(s, `a X${mark}b`);
    s.tty.type(`${bytesOf("right")}\x7f`);
    await shows(s, "a Xb");
    s.tty.type("\x1f");
    await shows(s, `a X${mark}b`);
    for (let n = 0; n < 2; n++) s.tty.type("\x1f");
    await shows(s, "a shot.png");
  });

  test("what is typed right behind a dragged path comes behind its mark", async () => {
    const s = await seeing([{ text: "I see." }]);
    s.tty.type(`${paste("shot.png")} what is it?\rnext`);
    await s.tty.until("I see.");
    expect(s.said(0)).toEqual(sent(`${mark} what is it?`));
    await shows(s, "next");
  });
});

describe("the image in the clipboard", () => {
  test.each(keysAt("editor").filter(([action]) => action === "attachImage"))("%s: %s", async (_, key) => {
    const s = await seeing([{ text: "I see." }], { parts: { clipboard: async () => shot } });
    s.tty.type(`look${bytesOf(key)} here\r`);
    await s.tty.until("I see.");
    expect(s.said(0)).toEqual(sent("look [image clipboard 640×480, 12 KB] here"));
  });

  test("is not there, or is none: that is said, and what is typed stays", async () => {
    const found = [null, Buffer.from("no image")];
    const s = await seeing([], { parts: { clipboard: async () => found.shift() ?? null } });
    s.tty.type(`look${bytesOf("ctrl+v")}`);
    await s.tty.until("No image was found in the clipboard.");
    s.tty.type(bytesOf("ctrl+v"));
    await s.tty.until("clipboard is no PNG, JPEG, GIF or WebP image");
    await shows(s, "look");
  });
});

describe("what stays text", () => {
  test.each([
    ["a typed path", "shot.png", "shot.png"],
    ["words around a path", paste("look at shot.png or so"), "look at shot.png or so"],
    ["a path of nothing", paste("/none/shot.png"), "/none/shot.png"],
    ["an address elsewhere", paste("https://example.org/shot.png"), "https://example.org/shot.png"],
  ])("%s", async (_name, typed, text) => {
    const s = await seeing([{ text: "I see." }]);
    s.tty.type(`x ${typed}`);
    await shows(s, `x ${text}`);
    s.tty.type("\r");
    await s.tty.until("I see.");
    expect(s.said(0)).toEqual([{ type: "text", text: `x ${text}` }]);
  });

  test.each([
    ["what is no image", "fake.png", "fake.png is no PNG, JPEG, GIF or WebP image"],
    ["what permissions withhold", ".ssh/photo.png", "permissions withhold"],
  ])("%s, and why is said", async (_name, path, why) => {
    const s = await seeing([]);
    s.tty.type(paste(path));
    await s.tty.until(why);
    await shows(s, path);
  });

  test("any image, for a model that takes none", async () => {
    const settings = { models: { images: { "anthropic/claude-sonnet-4-5": false } } };
    const s = await seeing([], { harness: { settings } });
    s.tty.type(`look ${paste("shot.png")}`);
    await s.tty.until("takes no images, as far as Cinch knows.");
    await shows(s, "look shot.png");
  });
});

test("the words of a mark that was erased, typed, are words; undone or put back, it is the mark again", async () => {
  const s = await seeing([{ text: "One." }, { text: "Two." }]);
  s.tty.type(paste("shot.png"));
  await shows(s, mark);
  s.tty.type(`\x7f${mark}\r`);
  await s.tty.until("One.");
  expect(s.said(0)).toEqual([{ type: "text", text: mark }]);
  s.tty.type(paste("shot.png"));
  await shows(s, mark);
  // To the start of the line and back; then erased, and undone.
  s.tty.type("\x15x\x7f\x19\x7f\x1f\r");
  await s.tty.until("Two.");
  expect(s.said(1)).toEqual(sent(mark));
});

test("a mark that was erased sends nothing; a message from before comes back without its images", async () => {
  const s = await seeing([{ text: "One." }, { text: "Two." }]);
  s.tty.type(`first ${paste("shot.png")}`);
  await shows(s, `first ${mark}`);
  s.tty.type("\x7f\r");
  await s.tty.until("One.");
  expect(s.said(0)).toEqual([{ type: "text", text: "first " }]);
  s.tty.type(`second ${paste("shot.png")}\r`);
  await s.tty.until("Two.");
  expect(s.said(1)).toEqual(sent(`second ${mark}`));
  s.tty.type(bytesOf("up"));
  await shows(s, "second");
});
