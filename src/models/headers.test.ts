import fc from "fast-check";
import { expect, test } from "vitest";
import { Headers as Ours } from "./headers.js";

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,6}$/);
const value = fc.stringMatching(/^[ a-z0-9,=]{0,8}$/);
const step = fc.oneof(
  fc.tuple(fc.constantFrom("set" as const, "append" as const), name, value),
  fc.tuple(fc.constant("delete" as const), name, value),
);

test("behaves as the global one does", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), fc.array(step), name, (init, steps, probe) => {
      const plain = init.filter(([key]) => key.toLowerCase() !== "set-cookie");
      const ours = new Ours(plain);
      const real = new globalThis.Headers(plain);
      for (const [what, key, text] of steps) {
        if (what === "delete") for (const headers of [ours, real]) headers.delete(key);
        else for (const headers of [ours, real]) headers[what](key, text);
      }
      expect([...ours]).toEqual([...real]);
      expect([...ours.keys()]).toEqual([...real.keys()]);
      expect([...ours.values()]).toEqual([...real.values()]);
      expect([ours.get(probe), ours.has(probe)]).toEqual([real.get(probe), real.has(probe)]);
      const seen: string[] = [];
      ours.forEach((text, key) => void seen.push(`${key}: ${text}`));
      expect(seen).toEqual([...real].map(([key, text]) => `${key}: ${text}`));
    }),
  );
  expect([...new Ours({ a: "1", b: undefined })]).toEqual([["a", "1"]]);
});
