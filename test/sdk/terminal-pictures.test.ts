// Pictures in the conversation: where they are shown, that each is written once, and that its rows are exactly ours.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import xterm from "@xterm/headless";
import { describe, expect, test } from "vitest";
import { type PictureProtocol, pictureProtocol } from "../../src/cli/tui/picture.js";
import { type AppOptions, type AppStage, appStage, type Emulator } from "../support/app.js";
import { gifImage, pngImage } from "../support/images.js";
import { bytesOf } from "../support/keys.js";

const patient = { timeout: 50_000 };
/** Ten rows high, where a row has 18 pixels. */
const shot = pngImage(200, 180, 20_000);
const encoded = shot.toString("base64");
const mark = "[image shot.png 200×180, 20 KB]";
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

function showing(pictures: PictureProtocol | null, { parts, ...options }: AppOptions = {}): Promise<AppStage> {
  return appStage([{ text: "One." }, { text: "Two." }, { text: "Three." }], {
    parts: { pictures, ...parts },
    ...options,
    harness: { settings: { sandbox: { mode: "off" }, models: { images: { scripted: true } } } },
    prepare(project) {
      const files = { "shot.png": shot, "shot.gif": gifImage(100, 90), "wide.png": pngImage(9_00, 3), "big.png": big };
      for (const [name, bytes] of Object.entries(files)) writeFileSync(join(project, name), bytes);
    },
  });
}
const big = pngImage(200, 180, 1024 * 1024 + 1);

/** Says it, and waits for the answer to be over. */
async function say(s: AppStage, text: string): Promise<void> {
  const runs = s.events.filter(({ type }) => type === "run.end").length;
  s.tty.type(`${text}\r`);
  await expect.poll(() => s.events.filter(({ type }) => type === "run.end").length, patient).toBe(runs + 1);
  await expect.poll(async () => (await s.tty.all()).join("\n"), patient).toContain(["One.", "Two.", "Three."][runs]);
}

/** The pictures that were written: their data, their rows, and where the terminal's cursor was then, in all of its rows. */
async function written(tty: Emulator) {
  const found = [
    ...tty.bytes.matchAll(
      /\x1b_G(?=a=T)([^;]*);([^\x1b]*)\x1b\\((?:\x1b_Gm=[^\x1b]*\x1b\\)*)|\x1b\]1337;File=([^:]*):([^\x07]*)\x07/g,
    ),
  ];
  return Promise.all(
    found.map(async ({ index, 1: kitty, 2: first = "", 3: more = "", 4: iterm = "", 5: data }) => {
      const terminal = new xterm.Terminal({
        ...tty.size(),
        cols: tty.size().columns,
        scrollback: 20_000,
        allowProposedApi: true,
      });
      await new Promise<void>((resolve) => terminal.write(tty.bytes.slice(0, index), resolve));
      const { baseY, cursorY, cursorX } = terminal.buffer.normal;
      const rest = [...more.matchAll(/;([^\x1b]*)/g)].map(([, piece]) => piece).join("");
      const rows = Number(/(?:^|[,;])(?:r|height)=(\d+)/.exec(kitty ?? iterm)?.[1]);
      return { data: data ?? first + rest, said: kitty ?? iterm, rows, row: baseY + cursorY, column: cursorX };
    }),
  );
}

describe.each(["kitty", "iterm2"] as const)("in a terminal of the protocol %s", (protocol) => {
  test("a picture stands below what was said with it, once, in rows that nothing else is in", async () => {
    const s = await showing(protocol, { size: [60, 30] });
    await say(s, `look ${paste("shot.png")}`);
    await say(s, "and now?");
    const shown = await written(s.tty);
    s.tty.resize(50, 26);
    s.tty.type("typed");
    await s.tty.until("❯ typed");
    const all = await s.tty.all();
    const at = all.indexOf(`❯ look ${mark}`);
    expect(all.slice(at + 1, at + 13)).toEqual([...Array<string>(11).fill(""), "One."]);
    expect(shown).toMatchObject([{ data: encoded, rows: 10, row: at + 1, column: 2 }]);
    expect(await written(s.tty)).toHaveLength(1);
    expect(all.filter((row) => row.includes(mark))).toHaveLength(1);
  });

  test("at the lower edge of the screen it is made room for first", async () => {
    const s = await showing(protocol, { size: [60, 24] });
    for (const text of ["one", "two"]) await say(s, text);
    await say(s, `look ${paste("shot.png")}`);
    const at = (await s.tty.all()).indexOf(`❯ look ${mark}`);
    expect(await written(s.tty)).toMatchObject([{ data: encoded, rows: 10, row: at + 1, column: 2 }]);
    expect((await s.tty.all()).filter((row) => /^(One|Two|Three)\.$/.test(row))).toEqual(["One.", "Two.", "Three."]);
  });

  test("it is at most half as high as the screen, and not wider than it", async () => {
    const s = await showing(protocol, { size: [30, 12] });
    await say(s, `look ${paste("shot.png wide.png")}`);
    expect(await written(s.tty)).toMatchObject([{ rows: 6 }]);
  });

  test("more than a megabyte is a line", async () => {
    const s = await showing(protocol);
    await say(s, paste("big.png"));
    expect(await written(s.tty)).toEqual([]);
  });

  test("what was said before the session was opened is a line, and so it is among everything that Ctrl+O opens", async () => {
    const s = await showing(protocol);
    await say(s, paste("shot.png"));
    s.tty.type(bytesOf("ctrl+o"));
    await s.tty.until("Escape comes back");
    s.tty.type("\x1b");
    await s.tty.until("What is to be done?");
    expect(await written(s.tty)).toHaveLength(1);
    const { id } = s.desk.session;
    s.tty.type("/clear\r");
    await expect.poll(() => s.desk.session.id, patient).not.toBe(id);
    s.tty.type(`/resume ${id}\r`);
    await expect.poll(async () => (await s.tty.all()).filter((row) => row.includes(mark)).length, patient).toBe(2);
    expect(await written(s.tty)).toHaveLength(1);
  });
});

test("kitty's protocol shows PNG alone, iTerm's what iTerm can open; a terminal that shows none gets the line", async () => {
  const counts = { kitty: 0, iterm2: 1 };
  for (const protocol of ["kitty", "iterm2"] as const) {
    const s = await showing(protocol);
    await say(s, paste("shot.gif"));
    expect(await written(s.tty)).toHaveLength(counts[protocol]);
  }
  const s = await showing(null);
  await say(s, `look ${paste("shot.png")}`);
  expect(await written(s.tty)).toEqual([]);
  const all = await s.tty.all();
  expect(all.slice(all.indexOf(`❯ look ${mark}`)).slice(0, 3)).toEqual([`❯ look ${mark}`, "", "One."]);
});

test.each<[PictureProtocol | null, Record<string, string>]>([
  ["kitty", { TERM: "xterm-kitty", KITTY_WINDOW_ID: "1" }],
  ["kitty", { TERM: "xterm-256color", KITTY_WINDOW_ID: "1" }],
  ["kitty", { TERM: "xterm-ghostty", TERM_PROGRAM: "ghostty" }],
  ["iterm2", { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" }],
  ["iterm2", { TERM: "xterm-256color", TERM_PROGRAM: "WezTerm", KITTY_WINDOW_ID: "1" }],
  [null, { TERM: "xterm-256color", TERM_PROGRAM: "vscode", KITTY_WINDOW_ID: "1" }],
  [null, { TERM: "xterm-256color" }],
  [null, {}],
  [null, { TERM: "xterm-kitty", TMUX: "/tmp/tmux-1/default,1,0" }],
  [null, { TERM: "tmux-256color", KITTY_WINDOW_ID: "1" }],
  [null, { TERM: "screen", TERM_PROGRAM: "iTerm.app" }],
  [null, { TERM: "xterm-kitty", STY: "1.pts" }],
])("shown with %s: %j", (protocol, env) => {
  expect(pictureProtocol(env)).toBe(protocol);
});
