// Ids that a script asks for and no page has, and what is none: elements that are made while it runs, or come from elsewhere.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/run.js";
import { nodeFs } from "../../lib/fs.js";
import { checkFiles } from "./files.js";

const page = (body: string, head = "") =>
  `<!doctype html><title>t</title>${head}${body}\n<script src="app.js"></script>`;
const start = 'document.getElementById("start").onclick = () => {};';

async function faultsOf(files: Record<string, string>): Promise<string[]> {
  const root = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const task = {
    id: "all",
    title: "t",
    role: "r",
    prompt: "p",
    files: Object.keys(files),
    exports: {},
    accept: [],
    after: [],
  };
  const found = await checkFiles(nodeFs, { root, plan: { goal: "g", formation: "f", tasks: [task] } });
  return found.filter(({ ok }) => !ok).map(({ line, what }) => `${line} ${what}`);
}

test("an id that only the script knows has its line, and the one that is meant", async () => {
  const app = `const list = document.querySelector("#list li");\n\n${start}\ndocument.getElementById("list").id;`;
  expect(
    await faultsOf({ "index.html": page("<ol id=list></ol><button id=strat>Go</button>"), "app.js": app }),
  ).toEqual(['3 app.js asks for the element "start", which is not in index.html. Did you mean "strat"?']);
});

test("scripts within a page, and those that a script imports", async () => {
  const body = `<p id=paragraph></p>\n<script type=module>\nimport "./more.js";\n${start}</script>`;
  const files = { "index.html": page(body), "app.js": "", "more.js": 'document.querySelector("#b").hidden = true;' };
  expect((await faultsOf(files)).sort()).toEqual([
    '1 more.js asks for the element "b", which is not in index.html.',
    '4 index.html asks for the element "start", which is not in index.html.',
  ]);
});

test.each<[string, Record<string, string>]>([
  ["the page has it", { "index.html": page("<b id=start></b>"), "app.js": start }],
  ["another page has it", { "index.html": page(""), "other.html": page("<b id=start></b>"), "app.js": start }],
  [
    "markup of the script",
    { "index.html": page(""), "app.js": `document.body.innerHTML = \`<b id="start">\${1}</b>\`; ${start}` },
  ],
  [
    "an id that the script gives",
    { "index.html": page(""), "app.js": `const b = document.createElement("b"); b.id = "start"; ${start}` },
  ],
  [
    "an id that is put together",
    { "index.html": page(""), "app.js": `for (const w of words) make().id = w + "t"; ${start}` },
  ],
  [
    "an id within markup that is put together",
    { "index.html": page(""), "app.js": `x.innerHTML = '<b id="s' + tart + '">'; ${start}` },
  ],
  [
    "markup of a server",
    { "index.html": page(""), "app.js": `b.innerHTML = await (await fetch("/part")).text(); ${start}` },
  ],
  ["a package", { "index.html": page(""), "app.js": `import { render } from "preact"; ${start}` }],
  [
    "a script from elsewhere",
    { "index.html": page("", "<script src=https://cdn.example/x.js></script>"), "app.js": start },
  ],
  ["a template", { "index.html": page("{% include 'x' %}"), "app.js": start }],
  ["where addresses begin elsewhere", { "index.html": page("", "<base href=/x/>"), "app.js": start }],
  ["a script of no page", { "index.html": "<p>alone</p>", "app.js": start }],
  ["another document", { "index.html": page(""), "app.js": 'frame.contentDocument.getElementById("start").click();' }],
  [
    "a name that is no text",
    { "index.html": page(""), "app.js": "const at = (id) => document.getElementById(id); at(name);" },
  ],
  ["several at once", { "index.html": page("<b id=a></b>"), "app.js": 'document.querySelectorAll("#a, #start");' }],
])("none is missed: %s", async (_what, files) => {
  expect(await faultsOf(files)).toEqual([]);
});
