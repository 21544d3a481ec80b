import { expect, test } from "vitest";
import { turnBudget } from "./turn-budget.js";

const files = (count: number) => Array.from({ length: count }, (_, i) => `f${i}`);

test.each([
  [0, [], false, { soft: 12, hard: 16, readBack: 0, escalation: 8 }],
  [1, [], false, { soft: 15, hard: 20, readBack: 3, escalation: 8 }],
  [2, [], false, { soft: 18, hard: 23, readBack: 4, escalation: 9 }],
  [3, [], false, { soft: 24, hard: 31, readBack: 6, escalation: 12 }],
  [5, [], false, { soft: 30, hard: 39, readBack: 7, escalation: 15 }],
  [50, [], false, { soft: 30, hard: 39, readBack: 7, escalation: 15 }],
  [0, ["node --test"], false, { soft: 12, hard: 16, readBack: 0, escalation: 8 }],
  [0, ["curl -f localhost:3000"], false, { soft: 16, hard: 21, readBack: 0, escalation: 8 }],
  [50, ["npm start-server"], true, { soft: 36, hard: 44, readBack: 8, escalation: 18 }],
])("%i files, accepted by %j, waiting: %s", (count, accept, waits, budget) => {
  expect(turnBudget({ files: files(count), accept, after: waits ? ["other"] : [] })).toEqual(budget);
});
