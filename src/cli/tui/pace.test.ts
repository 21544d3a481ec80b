import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Pace } from "./pace.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("frames are 33 ms apart, and five times as far as the last one took", () => {
  const [began, takes] = [Date.now(), [2, 20, 0, 0]];
  const frames: number[] = [];
  const pace = new Pace(Date.now, () => {
    frames.push(Date.now() - began);
    vi.setSystemTime(Date.now() + (takes.shift() ?? 0));
  });
  const asked = () => {
    pace.soon();
    pace.soon();
    expect(pace.due).toBe(true);
    vi.runAllTimers();
    expect(pace.due).toBe(false);
  };
  for (let n = 0; n < 3; n++) asked();
  expect(frames).toEqual([0, 35, 155]);
});

test("a frame that is drawn at once takes the place of the one that was due; none comes after the end", () => {
  const draw = vi.fn();
  const pace = new Pace(Date.now, draw);
  pace.soon();
  pace.frame();
  pace.soon();
  pace.stop();
  vi.runAllTimers();
  expect(draw).toHaveBeenCalledTimes(1);
});

test("while it is held no frame comes, neither one that was due nor one that is asked for", () => {
  const draw = vi.fn();
  const pace = new Pace(Date.now, draw);
  pace.soon();
  pace.hold();
  pace.soon();
  pace.frame();
  vi.runAllTimers();
  expect([draw.mock.calls.length, pace.due]).toEqual([0, false]);
  pace.release();
  pace.frame();
  expect(draw).toHaveBeenCalledTimes(1);
});
