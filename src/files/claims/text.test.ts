import fc from "fast-check";
import { expect, test } from "vitest";
import { claimsText } from "./text.js";

const owner = "main (session 0123abcd, process 7)";

test("says each file with its owner, in the order given", () => {
  expect(claimsText([], 100)).toBe("");
  expect(
    claimsText(
      [
        { shown: "b.js", owner },
        { shown: "a.js", owner },
      ],
      1_000,
    ),
  ).toBe(
    `Other agents are changing these files; leave them alone, a change would be refused:\n- b.js: ${owner}\n- a.js: ${owner}`,
  );
});

test("what does not fit is counted, what fits stays", () => {
  const claims = Array.from({ length: 40 }, (_, i) => ({ shown: `src/${i}.js`, owner }));
  const text = claimsText(claims, 400);
  expect(text.length).toBeLessThanOrEqual(400);
  expect(text).toContain("- src/0.js: ");
  expect(text).toContain("- src/4.js: ");
  expect(text).toMatch(/\n- 3\d more$/);
});

test("a long path is shown by its end", () => {
  const text = claimsText([{ shown: `${"deep/".repeat(500)}last.js`, owner }], 400);
  expect(text).toContain("/last.js: main");
  expect(text).not.toContain("more");
});

test("keeps any budget, and counts all", () => {
  const claim = fc.record({ shown: fc.string(), owner: fc.string() });
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 30 }), fc.nat(2_000), (claims, budget) => {
      expect(claimsText(claims, budget).length).toBeLessThanOrEqual(budget);
    }),
  );
});
