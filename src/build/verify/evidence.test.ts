import { expect, test } from "vitest";
import type { BuildPlan } from "../plan.js";
import { fileAt } from "./evidence.js";

const plan = {
  tasks: [{ files: ["public/app.js", "public/a b.js", "public/index.html", "public/%ff.js"] }],
} as unknown as BuildPlan;

test.each([
  ["/app.js", "public/app.js"],
  ["/a%20b.js", "public/a b.js"],
  ["/", "public/index.html"],
  ["/%ff.js", "public/%ff.js"],
  ["/%zz", undefined],
  ["/none.js", undefined],
])("%s means %s", (path, file) => {
  expect(fileAt(plan, `http://127.0.0.1:3000${path}`)).toBe(file);
});
