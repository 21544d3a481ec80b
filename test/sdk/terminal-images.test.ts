// Images in the terminal interface: paths that are dragged, pasted or completed become marks, and what goes to the model are the
// bytes that the mark was made of.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { candidatesOf } from "../../src/cli/tui/complete/sources.js";
import { type AppOptions, type AppStage, appStage } from "../support/app.js";
import { gifImage, pngImage } from "../support/images.js";
import { bytesOf, keysAt } from "../support/keys.js";
import { startAnthropic, type WireReply } from "../support/wire/anthropic.js";

const patient = { timeout: 15_000 };
const shot = pngImage(640, 480, 12 * 1024);
const mark = "[image shot.png 640×480, 12 KB]";

const waiting: WireReply = {
  calls: [{ id: "c", name: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }],
};

/** The interface on a server of the wire; the project has images. */
async function seeing(script: WireReply[], options: AppOptions = {}) {
  const server = await startAnthropic(script);
  onTestFinished(() => server.close());
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const { harness, ...more } = options;
  const s = await appStage([], {
    ...more,
    harness: {
      ...{ model: "anthropic/claude-sonnet-4-5", env },
      settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } },
      ...harness,
    },
    prepare(project, home) {
      mkdirSync(join(project, "my shots"));
      mkdirSync(join(project, ".ssh"));
      for (const path of ["shot.png", "my shots/shot.png", ".ssh/photo.png"]) writeFileSync(join(project, path), shot);
      writeFileSync(join(project, "other.gif"), gifImage(5, 4));
      writeFileSync(join(project, "fake.png"), "no image");
      options.prepare?.(project, home);
    },
  });
  /** What the user said last in a request. */
  const said = (request: number) => {
    const { messages } = JSON.parse(server.requests[request]?.body ?? "") as {
      messages: { content: { type: string }[] }[];
    };
    const blocks = messages.at(-1)?.content.filter(({ type }) => type !== "tool_result") as {
      cache_control?: object;
    }[];
    return blocks.map(({ cache_control: _mark, ...block }) => block);
  };
  return { ...s, server, said };
}
type Seeing = Awaited<ReturnType<typeof seeing>>;

const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

const sent = (text: string, bytes = shot, type = "image/png") => [
  { type: "text", text },
  { type: "image", source: { type: "base64", media_type: type, data: bytes.toString("base64") } },
];

async function editor(s: AppStage): Promise<string> {
  const rows = await s.tty.screen();
  const first = rows.findLastIndex((row) => /^─+$/.test(row)) + 1;
  const last = rows.findIndex((row, at) => at > first && row.startsWith("scripted | "));
  return rows
    .slice(first, last)
    .map((row) => row.slice(2).trimEnd())
    .join("\n");
}

async function shows(s: AppStage, text: string): Promise<void> {
  await expect.poll(() => editor(s), patient).toBe(text);
}

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
