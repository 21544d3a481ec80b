// The window changes its size while an answer streams: every line of it is in the scrollback once, none is left out. The emulator
// takes a size and tells it in one step; what a terminal that tells it later can show twice is in docs/terminal.md.

import { expect, test } from "vitest";
import { appStage } from "../support/app.js";

const rows = Array.from({ length: 120 }, (_, at) => `- row ${at + 1}: it is so long that it wraps when narrow`);
const sizes = [
  [120, 40],
  [30, 12],
  [80, 24],
  [100, 30],
  [40, 10],
  [120, 40],
] as const;

test.each([
  [
    [
      [120, 40],
      [30, 12],
    ],
  ],
  [
    [
      [30, 12],
      [80, 24],
    ],
  ],
  [sizes],
])("%j", async (steps) => {
  const s = await appStage([{ text: rows.join("\n"), chunk: 20, delay_ms: 3 }], { first: "go" });
  const left = steps.map((size, at) => ({ size, after: `row ${15 * (at + 1)}:` }));
  s.tty.shown = () => {
    const [next] = left;
    if (!next || !s.tty.bytes.includes(next.after)) return;
    left.shift();
    s.tty.resize(next.size[0], next.size[1]);
  };
  await s.tty.until("row 120:");
  expect(left).toEqual([]);
  await s.tty.until("What is to be done?");
  const seen = [...(await s.tty.all()).join("\n").matchAll(/row (\d+):/g)].map(([, n]) => Number(n));
  expect(seen).toEqual(rows.map((_, at) => at + 1));
});
