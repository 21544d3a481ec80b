// What `config --explain` is made of: every row of the schema, with its value and where that
// comes from. How it is printed is not looked at here.

import { beforeEach, expect, test } from "vitest";
import { freshSettings, load } from "../../test/support/settings.js";
import { explain } from "./explain.js";
import { rows } from "./schema.js";

beforeEach(freshSettings);

test("explain lists every row, with what this version lacks marked", async () => {
  const listed = explain(await load());
  expect(listed.map((row) => row.key)).toEqual(rows.map((row) => row.path.join(".")));
  expect(listed.find((row) => row.key === "limits.turns")).toEqual({
    key: "limits.turns",
    type: "integer >= 1",
    default: 2000,
    value: 2000,
    source: "default",
    doc: "Model requests in a run.",
    scope: "tighten",
    available: true,
  });
  expect(listed.find((row) => row.key === "retention")?.available).toBe(false);
});
