import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Dialog } from "./dialogs/dialog.js";
import { Questions } from "./questions.js";

const dialog = () => ({}) as Dialog;
let reports = 0;

function questions(): Questions {
  const made = new Questions({ now: () => Date.now(), askReport: () => void reports++, refresh: () => {} });
  onTestFinished(() => made.stop());
  return made;
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  reports = 0;
  onTestFinished(() => void vi.useRealTimers());
});

test("keys answer once the terminal has reported behind what was typed, and none came for a moment (SECURITY 46)", () => {
  const asked = questions();
  asked.typed();
  asked.add(dialog());
  expect([asked.armed, reports]).toEqual([false, 0]);
  asked.drawn();
  expect([asked.armed, reports]).toEqual([false, 1]);
  asked.report();
  vi.advanceTimersByTime(349);
  expect(asked.armed).toBe(false);
  asked.typed();
  vi.advanceTimersByTime(349);
  expect(asked.armed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(asked.armed).toBe(true);
});

test("a report of before it was drawn counts for nothing; a terminal that never reports is waited for", () => {
  const asked = questions();
  asked.add(dialog());
  asked.report();
  asked.drawn();
  vi.advanceTimersByTime(999);
  expect(asked.armed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(asked.armed).toBe(true);
});

test("the next question has to be read, too", () => {
  const asked = questions();
  const [first, second] = [dialog(), dialog()];
  asked.add(first);
  asked.add(second);
  asked.drawn();
  asked.report();
  vi.advanceTimersByTime(350);
  expect([asked.armed, asked.current]).toEqual([true, first]);
  asked.remove(first);
  expect([asked.armed, asked.current]).toEqual([false, second]);
  asked.drawn();
  expect(reports).toBe(2);
});
