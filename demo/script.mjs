// What the scripted model of the demo says: the items of a script (SPEC 2.11), built from the files in pomodoro/.
// It behaves as a model does that has to build these files: the largest one in pieces, and one mistake on the way,
// which a guard stops. The items with `match` make the run fail when Cinch does not answer as expected.

/** Most lines of app.js in one call; a model with a small output limit could not write more at once. */
const pieceLines = 120;
const skipLink = '  <a class="skip-link" href="#timer">Skip to the timer</a>\n\n';

/** @param {Record<string, string>} files Name -> content of the finished app. */
export function buildScript(files) {
  const page = files["index.html"];
  const draft = page.replace(skipLink, "");
  if (draft === page) throw new Error("demo: index.html has no skip link, so there is nothing to edit");
  const pieces = cut(files["app.js"], pieceLines);
  return [
    {
      text: "I will build a Pomodoro timer without dependencies, and begin with the server and the package file.",
      calls: [write("package.json", files["package.json"]), write("server.js", files["server.js"])],
    },
    { text: "Now the page and its style.", calls: [write("index.html", draft), write("style.css", files["style.css"])] },
    {
      text: `The program is long, so I write it in ${pieces.length} pieces.`,
      calls: [write("app.js", pieces[0])],
    },
    ...pieces.slice(1).map((content, index) => ({
      calls: [append("app.js", content, bytes(pieces.slice(0, index + 1).join("")))],
    })),
    { text: "A script that checks the whole thing.", calls: [write("check.js", files["check.js"])] },
    { calls: [call("run_command", { command: "node --check server.js && node --check app.js && node --check check.js" })] },
    {
      text: "Keyboard users need a way past the header. I write index.html again, with a link to the timer.",
      calls: [write("index.html", page)],
    },
    {
      match: "edit_file",
      text: "The guard refused: the file exists, and writing it again could lose work. I read it and edit it instead.",
      calls: [call("read_file", { path: "index.html", offset: 10, limit: 12 })],
    },
    {
      match: '<body data-mode="focus">',
      calls: [
        call("edit_file", {
          path: "index.html",
          old_string: '<body data-mode="focus">\n',
          new_string: `<body data-mode="focus">\n${skipLink}`,
        }),
      ],
    },
    { text: "Is the link styled?", calls: [call("search_text", { pattern: "skip-link" })] },
    {
      match: "style\\.css",
      text: "It is. Now the check: it starts the server, fetches every page and stops it.",
      calls: [call("run_command", { command: "node check.js", timeout_seconds: 60 })],
    },
    {
      match: "all is well",
      text: "The Pomodoro timer is ready: `npm start` serves it, `npm test` checks it.",
    },
  ];
}

function call(tool, input) {
  return { tool, input };
}

function write(path, content) {
  return call("write_file", { path, content });
}

function append(path, content, expectedSize) {
  return call("append_file", { path, content, expected_size: expectedSize });
}

function bytes(text) {
  return Buffer.byteLength(text);
}

/** Pieces of at most `most` lines that end at an empty line where there is one in the second half. */
function cut(text, most) {
  const lines = text.split(/(?<=\n)/);
  const pieces = [];
  while (lines.length > most) {
    const gap = lines.slice(0, most).lastIndexOf("\n") + 1;
    pieces.push(lines.splice(0, gap > most / 2 ? gap : most).join(""));
  }
  return [...pieces, lines.join("")];
}
