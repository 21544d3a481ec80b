// Stands between Cinch and a real language server and answers like one that has not read the project yet: only what the asked
// document shows. Arguments: a JSON object, then the server's command. When the early answers end:
//   {"answers": n}      after n of them; nothing else gives it away
//   {"progress": ms}    after work that it announces with the first document
//   {"status": ms}      the same, told as `experimental/serverStatus`
//   {"published": ms}   when it publishes what is wrong with the first document, and not before
// The real server's own signs are kept back: its progress, its problems, its commands and its answers for problems.

import { spawn } from "node:child_process";
import { FrameReader, frame } from "./frames.mjs";

const [given, program, ...args] = process.argv.slice(2);
const part = JSON.parse(given);
const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
server.on("exit", (code) => process.exit(code ?? 1));
process.stdin.on("end", () => server.kill());

const early = /^(textDocument\/(references|rename|hover|definition)|workspace\/symbol)$/;
const asked = new Map();
let [left, isEarly, hasBegun] = [part.answers ?? 0, true, false];

const toServer = (message) => server.stdin.write(frame(message));
const toClient = (message) => process.stdout.write(frame({ jsonrpc: "2.0", ...message }));

process.stdin.on("data", new FrameReader(fromClient).push);
server.stdout.on("data", new FrameReader(fromServer).push);

function fromClient(message) {
  if (message.id !== undefined && message.method) asked.set(message.id, message);
  toServer(message);
  if (message.method === "textDocument/didOpen" && !hasBegun) begin(message.params.textDocument);
}

function begin({ uri, version }) {
  hasBegun = true;
  const after = (ms, tell) => ms !== undefined && setTimeout(() => ((isEarly = false), tell()), ms);
  const progress = (kind) => toClient({ method: "$/progress", params: { token: "proxy", value: { kind, title: "" } } });
  const status = (quiescent) => toClient({ method: "experimental/serverStatus", params: { health: "ok", quiescent } });
  const publish = () =>
    toClient({ method: "textDocument/publishDiagnostics", params: { uri, version, diagnostics: [] } });
  if (part.progress !== undefined) progress("begin");
  if (part.status !== undefined) status(false);
  if (part.published === undefined) publish();
  after(part.progress, () => progress("end"));
  after(part.status, () => status(true));
  after(part.published, publish);
}

function fromServer(message) {
  const { method, id, result } = message;
  if (method === "$/progress" || method === "textDocument/publishDiagnostics") return;
  const question = method === undefined ? asked.get(id) : undefined;
  if (question) asked.delete(id);
  if (question?.method === "initialize") {
    delete result.capabilities.executeCommandProvider;
    delete result.capabilities.diagnosticProvider;
  }
  if (question && early.test(question.method) && result && isEarly) {
    if (part.answers !== undefined && left-- <= 0) isEarly = false;
    else return void toClient({ id, result: earlyAnswer(question, result) });
  }
  toClient(message);
}

/** As of a server that knows this document alone. */
function earlyAnswer({ method, params }, result) {
  const uri = params.textDocument?.uri;
  if (method === "workspace/symbol" || method === "textDocument/definition") return [];
  if (method === "textDocument/references") return result.filter((each) => each.uri === uri);
  if (method === "textDocument/hover") return { contents: { kind: "plaintext", value: "(loading)" } };
  const edits = result.changes?.[uri] ?? result.documentChanges.find((each) => each.textDocument.uri === uri).edits;
  return { changes: { [uri]: edits } };
}
