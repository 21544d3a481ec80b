// Every key that works anywhere or at a question, pressed in the terminal interface: what it does, on the screen or in the log.
// A key without a row here fails.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AppStage, appStage } from "../support/app.js";
import { bytesOf, keysAt } from "../support/keys.js";

const waiting = { calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
const write = { calls: [{ tool: "write_file", input: { path: "a1.txt", content: "x\n" } }] };
const auto = { settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } } } as const;
const patient = { timeout: 50_000 };

const rows: Readonly<Record<string, (press: string) => Promise<void>>> = {
  async cancel(press) {
    const s = await appStage([waiting], { first: "go", harness: auto });
    await s.tty.until("◐ run until");
    s.tty.type(press);
    await expect.poll(() => s.events.at(-1), patient).toMatchObject({ type: "run.end", subtype: "error_cancelled" });
  },
  async interrupt(press) {
    const s = await appStage([{ text: "hi" }]);
    s.tty.type(press);
    await s.tty.until("Once more leaves Cinch.");
    s.tty.type(press);
    await s.ended;
    const t = await appStage([waiting], { first: "go", harness: auto });
    await t.tty.until("◐ run until");
    t.tty.type("typed");
    await t.tty.until("❯ typed");
    t.tty.type(press);
    await t.tty.until(/─\n❯ (?!typed)/);
    expect(t.events.some(({ type }) => type === "run.end")).toBe(false);
    t.tty.type(press);
    await t.ended;
    expect(t.events.at(-1)).toMatchObject({ type: "run.end", subtype: "error_cancelled" });
  },
  async exit(press) {
    const s = await appStage([{ text: "hi" }]);
    s.tty.type(`ab\x1b[H${press}`);
    await expect.poll(() => s.tty.screen(), patient).toContain("❯ b");
    s.tty.type(`${press}${press}`);
    await s.ended;
  },
  async steer(press) {
    const s = await appStage([waiting, { text: "heard" }], { first: "go", harness: auto });
    await s.tty.until("◐ run until");
    s.tty.type(`look here${press}`);
    await s.tty.until("↯ look here");
    writeFileSync(join(s.project, "go"), "");
    await s.tty.until("heard");
    expect(s.events.filter(({ type }) => type === "steer.delivered")).toHaveLength(1);
  },
  async mode(press) {
    const s = await appStage([{ text: "hi" }]);
    for (const mode of ["acceptEdits", "auto", "plan"]) {
      s.tty.type(press);
      await s.tty.until(`scripted | ${mode}`);
    }
  },
  async inspect(press) {
    const s = await appStage([{ thinking: "one\ntwo thoughts", text: "Answer." }], { first: "go" });
    await s.tty.until("Answer.");
    s.tty.type(press);
    await s.tty.until("two thoughts");
    s.tty.type("\x1b");
    await s.tty.until("What is to be done?");
  },
  async write(press) {
    const given: string[] = [];
    const edit = async (text: string) => {
      given.push(text);
      return `${text} and more\n`;
    };
    const s = await appStage([{ text: "hi" }], { parts: { edit } });
    s.tty.type(`draft${press}`);
    await s.tty.until("❯ draft and more");
    expect(given).toEqual(["draft"]);
  },
  async takeBack(press) {
    const s = await appStage([waiting, { text: "done" }], { first: "go", harness: auto });
    await s.tty.until("◐ run until");
    s.tty.type("later\r");
    await s.tty.until("⋯ later");
    s.tty.type(press);
    await s.tty.until("❯ later");
    writeFileSync(join(s.project, "go"), "");
    await s.tty.until("done");
  },
  async queue(press) {
    const s = await appStage([waiting, { text: "done" }], { first: "go", harness: auto });
    await s.tty.until("◐ run until");
    s.tty.type("later\r");
    await s.tty.until("⋯ later");
    s.tty.type(press);
    await s.tty.until("What waits to be said (1)");
  },
  async redraw(press) {
    const s = await appStage([{ text: "hi" }]);
    s.tty.type("kept");
    await s.tty.until("❯ kept");
    s.tty.terminal.write("\x1b[24;1Hnoise");
    s.tty.type(press);
    await s.tty.until(/❯ kept\n(?!noise)/);
  },
  async suspend(press) {
    const s = await appStage([{ text: "hi" }]);
    s.tty.type(`still here${press}`);
    // Also where it cannot be stopped, nothing of it is there twice.
    expect(s.tty.bytes).toBe(s.tty.suspended);
    expect((await s.tty.all()).join("")).toBe("");
    s.app.resumed();
    await s.tty.until("❯ still here");
    expect((await s.tty.all()).join("\n").match(/scripted \| ask/g)).toHaveLength(1);
  },
  async allow(press) {
    const s = await asked([write]);
    s.tty.type(press);
    await s.tty.until("● create a1.txt");
    expect(existsSync(join(s.project, "a1.txt"))).toBe(true);
  },
  async allowAlways(press) {
    const touch = { calls: [{ tool: "run_command", input: { command: "touch made" } }] };
    const s = await asked([touch, touch]);
    s.tty.type(press);
    await s.tty.until("done");
    // The second one was not asked about.
    expect(s.events.filter(({ type }) => type === "approval.ask")).toHaveLength(1);
    expect(s.events.filter((event) => event.type === "call.end" && event.status === "ok")).toHaveLength(2);
  },
  async deny(press) {
    const s = await asked([write]);
    s.tty.type(press);
    await s.tty.until("⊘ create a1.txt");
    expect(existsSync(join(s.project, "a1.txt"))).toBe(false);
  },
  async denyWithWords(press) {
    const s = await asked([write]);
    s.tty.type(press);
    await s.tty.until("Why not?");
    s.tty.type("use b.txt\r");
    await s.tty.until("⊘ create a1.txt");
    expect(JSON.stringify([...s.desk.session.entries()])).toContain("They say: use b.txt");
  },
};

/** At a question that listens. */
async function asked(script: readonly object[]): Promise<AppStage> {
  const s = await appStage([...script, { text: "done" }], { first: "go" });
  await s.tty.until("y  Allow once");
  await expect.poll(async () => (await s.tty.screen()).join("\n"), patient).not.toContain("keys count here");
  return s;
}

test.each([...keysAt("anywhere"), ...keysAt("question")])("%s: %s", async (action, key) => {
  const row = rows[action];
  expect(row, `no row for ${action}`).toBeDefined();
  await row?.(bytesOf(key));
});

test.each(["a draft", ""])(
  "while an editor has the terminal, nothing is drawn, though an answer streams (%j)",
  async (draft) => {
    const drawn: string[] = [];
    let close = () => {};
    const s = await appStage([{ text: "word ".repeat(60), chunk: 5, delay_ms: 4 }], {
      parts: {
        edit: async () => {
          drawn.push(s.tty.bytes);
          await new Promise<void>((resolve) => {
            close = resolve;
          });
          drawn.push(s.tty.bytes);
          return "written";
        },
      },
    });
    s.tty.type("go\r");
    await s.tty.until("word word");
    s.tty.type(`${draft}\x07`);
    await expect.poll(() => s.events.at(-1)?.type, patient).toBe("run.end");
    close();
    await s.tty.until("❯ written");
    const [before = "", after = ""] = drawn;
    // Progress and a notification are no part of the screen.
    expect(after.slice(before.length).replace(/\x1b\](?:9|777|2);[^\x07]*\x07/g, "")).toBe("");
    const all = (await s.tty.all()).join(" ");
    expect(all.match(/─/g)?.length).toBe(79);
    expect(all.match(/word/g)).toHaveLength(60);
  },
);
