// docs/terminal.md against the tables it is about: keys, words of the status line, themes.

import { expect, test } from "vitest";
import { bindings } from "../../src/cli/tui/keys.js";
import { defaultTemplate, statusWords } from "../../src/cli/tui/status.js";
import { themeNames } from "../../src/cli/tui/theme.js";
import { page, tableOf } from "./pages.js";

const headings = { anywhere: "Anywhere", editor: "In the editor", list: "In a list", question: "At a question" };

test.each(Object.entries(headings))(
  "the keys of %s are in docs/terminal.md as they are in the table",
  (place, heading) => {
    const rows = tableOf(page("docs/terminal.md"), `### ${heading}`);
    const own = bindings.filter((binding) => binding.place === place);
    expect(rows).toEqual(
      own.map(({ keys, action, doc }) => [keys.map((key) => `\`${key}\``).join(" "), `\`${action}\``, doc]),
    );
  },
);

test("so are the words of the status line and the themes", () => {
  const { text } = page("docs/terminal.md");
  expect(statusWords.filter((word) => !text.includes(`\`{${word}}\``))).toEqual([]);
  expect(text).toContain(`\`${defaultTemplate}\``);
  expect(themeNames.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
