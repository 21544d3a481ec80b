// A language server that plays a part, for everything a real one does only now and then. Argument: a JSON object
//   {"log": file, "faults": {"<method>": "crash" | "silence" | "garbage" | "collide" | "late" | "refuse" | "flood" |
//    "giant" | "endless" | "overtaken" | "retry"}, "versioned": false,
//    "pull": true, "diagnosticsMs": n, "encoding": "utf-8" | "utf-16" | "utf-32", "many": n,
//    "results": {"<method>": answer}, "says": [message after each text it is shown]}; `$ROOT` in these is the URI of the root.
// "loads": n: for so many milliseconds it knows nothing and says so, as work under way; then it publishes.
// It knows a word by its text: the definition of a name is the first `def <name>` of an open document, and every line with
// BAD is a problem. A fault strikes once, then its file (<log>.<method>) remembers that.

import { appendFileSync, existsSync, writeFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const part = JSON.parse((process.argv[2] ?? "{}").replaceAll("$ROOT", pathToFileURL(process.cwd()).href));
const documents = new Map();
/** Answers that are sent after the next change. */
const overtaken = [];
let isLoading = part.loads !== undefined;
const early = { "textDocument/definition": null, "textDocument/references": [], "textDocument/hover": null };
Object.assign(early, { "workspace/symbol": [], "textDocument/rename": null });
const log = (entry) => part.log && appendFileSync(part.log, `${JSON.stringify(entry)}\n`);
log({ started: process.pid, key: process.env.ANTHROPIC_API_KEY ?? null });

let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/Content-Length: (\d+)/i.exec(rest.toString("latin1", 0, end))[1]);
    if (rest.length < end + 4 + length) return;
    const message = JSON.parse(rest.toString("utf8", end + 4, end + 4 + length));
    rest = rest.subarray(end + 4 + length);
    take(message);
  }
});
if (!part.stays) process.stdin.on("end", () => process.exit(0));

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

function strikes(method) {
  const fault = part.faults?.[method];
  const done = `${part.log}.${method.replace("/", "-")}`;
  if (!fault || (part.once !== false && existsSync(done))) return null;
  writeFileSync(done, "");
  return fault;
}

function take(message) {
  const { id, method, params } = message;
  log(method === undefined ? { answer: message } : { method, id, params });
  if (method === undefined) return;
  const fault = strikes(method);
  if (fault === "crash") process.exit(7);
  if (fault === "silence") return;
  if (fault === "retry") return send({ id, error: { code: -32802, message: "cancelled by the server" } });
  if (fault === "refuse") return send({ id, error: { code: -32603, message: "not today" } });
  if (fault === "garbage") return void process.stdout.write("Content-Length: 12\r\n\r\nnot JSON....");
  if (fault === "collide") {
    // A request of its own under the very id that is pending, and one of a kind that nobody knows.
    send({ id, method: "workspace/configuration", params: { items: [{ section: "scripted.answer" }, {}] } });
    send({ id, method: "scripted/unknown", params: {} });
  }
  const much = Buffer.alloc(1024 * 1024, "9");
  if (fault === "flood") for (let i = 0; i < 64; i++) writeSync(2, much);
  if (fault === "giant" || fault === "endless") {
    process.stdout.write(fault === "giant" ? "Content-Length: 99999999999\r\n\r\n" : "Content-Length: 9");
    for (let i = 0; i < 64; i++) process.stdout.write(much);
    return;
  }
  if (fault === "overtaken") return void overtaken.push({ id, result: acts[method](params) });
  if (fault === "late") return void setTimeout(() => answer(message), 300);
  answer(message);
}

function answer({ id, method, params }) {
  const act = acts[method];
  if (id === undefined) act?.(params);
  else if (isLoading && Object.hasOwn(early, method)) send({ id, result: early[method] });
  else if (part.results && Object.hasOwn(part.results, method)) send({ id, result: part.results[method] });
  else if (act) send({ id, result: act(params) ?? null });
  else send({ id, error: { code: -32601, message: `no ${method}` } });
}

const size = { "utf-8": (c) => Buffer.byteLength(c), "utf-16": (c) => c.length, "utf-32": () => 1 }[part.encoding ?? "utf-16"];
const width = (text) => [...text].reduce((sum, each) => sum + size(each), 0);

function wordAt({ textDocument: { uri }, position: { line, character } }) {
  const text = documents.get(uri).text.split("\n")[line] ?? "";
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    const start = width(text.slice(0, index));
    if (character >= start && character <= start + width(word)) return word;
  }
  return null;
}

function places(word, pattern) {
  const found = [];
  for (const [uri, { text }] of documents) {
    for (const [line, content] of text.split("\n").entries()) {
      for (const { 0: whole, index } of content.matchAll(pattern)) {
        const start = width(content.slice(0, index + whole.length - word.length));
        const range = { start: { line, character: start }, end: { line, character: start + width(word) } };
        found.push({ uri, range });
      }
    }
  }
  return found;
}

function named(text) {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${text}(?![\\p{L}\\p{N}_])`, "gu");
}

function publish(uri) {
  for (const each of part.says ?? []) send(each);
  const { version, text } = documents.get(uri);
  const diagnostics = problems(text);
  const told = { uri, diagnostics, ...(part.versioned === false ? {} : { version }) };
  if (part.pull || isLoading) return;
  const tell = () => {
    send({ method: "textDocument/publishDiagnostics", params: told });
    log({ published: uri, version });
  };
  if (part.diagnosticsMs) setTimeout(tell, part.diagnosticsMs);
  else tell();
}

function problems(text) {
  return text.split("\n").flatMap((content, line) => {
    const at = content.indexOf("BAD");
    if (at < 0) return [];
    const start = width(content.slice(0, at));
    const range = { start: { line, character: start }, end: { line, character: start + 3 } };
    return [{ range, severity: 1, message: `BAD is bad: ${content.trim()}`, source: "scripted" }];
  });
}

const acts = {
  "codeAction/resolve": (action) => action,
  initialize: () => ({
    capabilities: {
      positionEncoding: part.encoding ?? "utf-16",
      textDocumentSync: { openClose: true, change: 1, save: true },
      definitionProvider: true,
      referencesProvider: true,
      hoverProvider: true,
      documentSymbolProvider: true,
      workspaceSymbolProvider: true,
      renameProvider: true,
      codeActionProvider: { resolveProvider: true },
      ...(part.pull ? { diagnosticProvider: {} } : {}),
    },
  }),
  initialized: () => {
    if (!isLoading) return;
    const tell = (kind) => send({ method: "$/progress", params: { token: "load", value: { kind } } });
    tell("begin");
    const end = () => {
      isLoading = false;
      for (const uri of documents.keys()) publish(uri);
      tell("end");
    };
    setTimeout(end, part.loads);
  },
  shutdown: () => null,
  exit: () => (part.stays ? undefined : process.exit(0)),
  "textDocument/didOpen": ({ textDocument: { uri, version, text } }) => {
    documents.set(uri, { version, text });
    publish(uri);
  },
  "textDocument/didChange": ({ textDocument: { uri, version }, contentChanges: [{ text }] }) => {
    documents.set(uri, { version, text });
    publish(uri);
    for (const each of overtaken.splice(0)) send(each);
  },
  "textDocument/didClose": ({ textDocument: { uri } }) => void documents.delete(uri),
  "textDocument/diagnostic": ({ textDocument: { uri } }) => {
    const many = { range: onLine({ uri }, 0).range, message: "long ".repeat(2_000) };
    const items = part.many ? Array.from({ length: part.many }, () => many) : problems(documents.get(uri).text);
    return { kind: "full", items };
  },
  "textDocument/definition": (params) => {
    const word = wordAt(params);
    return word && places(word, named(`def ${word}`));
  },
  "textDocument/references": (params) => {
    const word = wordAt(params);
    if (part.many) return Array.from({ length: part.many }, (_, line) => onLine(params.textDocument, line));
    return word && places(word, named(word));
  },
  "textDocument/hover": (params) => ({ contents: { kind: "plaintext", value: `word ${wordAt(params)}` } }),
  "textDocument/documentSymbol": () => [],
  "workspace/symbol": ({ query }) =>
    places(query, named(`def ${query}`)).map((location) => ({ name: query, kind: 12, location })),
  "textDocument/rename": (params) => {
    const word = wordAt(params);
    const changes = {};
    for (const { uri, range } of places(word, named(word))) {
      changes[uri] = [...(changes[uri] ?? []), { range, newText: params.newName }];
    }
    return { changes };
  },
  "textDocument/codeAction": ({ textDocument: { uri }, context }) => [
    ...context.diagnostics.map(({ range }) => ({
      title: "make it GOOD",
      kind: "quickfix",
      edit: { documentChanges: [{ textDocument: { uri, version: documents.get(uri).version }, edits: [{ range, newText: "GOOD" }] }] },
    })),
    { title: "run something", command: { title: "run", command: "scripted.run" } },
  ],
};

function onLine({ uri }, line) {
  return { uri, range: { start: { line, character: 0 }, end: { line, character: 1 } } };
}
