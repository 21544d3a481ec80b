import { expect, it } from "vitest";
import { fitting, laneOf } from "./lanes.js";

const tasks = Array.from({ length: 10 }, (_, n) => n);

it.each([
  ["bedrock/x", 3],
  ["openrouter/x/y", 6],
  ["anthropic/x", 4],
  ["scripted//tmp/a", 4],
])("%s: %i at once", (model, most) => {
  const lane = () => laneOf("inherit", model);
  expect(fitting(tasks, lane, [])).toHaveLength(most);
  expect(fitting(tasks, lane, [lane(), lane()])).toHaveLength(most - 2);
});

it("each provider has its own, and a role's own model counts for its provider", () => {
  const lane = (task: number) => laneOf(task % 2 === 0 ? "bedrock/a" : "smart", "openai/b");
  expect(fitting(tasks, lane, ["bedrock", "bedrock"])).toEqual([0, 1, 3, 5, 7]);
});
