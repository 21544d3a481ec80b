// The loopback model of the benchmark: Anthropic Messages with streaming, no thinking, no latency, one process of its
// own. It answers N tool turns (echo, read, edit, in rotation) and then "done", and it is the clock: every figure about
// turns comes from the moments at which requests arrive here, so the programs under test need not be changed.
// It never parses a body: what it does per request does not depend on what the client sends.
//
// Control, one JSON object a line. In: {start: {turns, record?}} · {release: true} · {report: true} · end of input ends it.
// Out: {port} once · {ready: true} · {holding: "first" | "last"} when that request is in: it is answered after `release`,
// so that processes can be looked at while they wait · {arrivals: [ms], sizes: [bytes], released: ms of the first release}.
// `record`: file that gets every body, one a line.
import { createWriteStream } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const now = () => Number(process.hrtime.bigint()) / 1e6;
let run = { turns: 0 };
let arrivals = [];
let sizes = [];
let bodies;
let held;
let released = 0;

const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function call(turn) {
  const edit = Math.floor(turn / 3);
  if (turn % 3 === 0) return ["run_command", { command: `echo turn ${turn}` }];
  if (turn % 3 === 1) return ["read_file", { path: "notes.js" }];
  return ["edit_file", { path: "notes.js", old_string: `let step = ${edit};`, new_string: `let step = ${edit + 1};` }];
}

/** The whole server-sent answer to request number `turn`. */
function answer(turn) {
  const usage = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 30 };
  const message = {
    id: `msg_${turn}`,
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const last = turn >= run.turns;
  const parts = [event("message_start", { message })];
  if (last) {
    parts.push(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    parts.push(event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "done" } }));
  } else {
    const [name, input] = call(turn);
    const text = JSON.stringify(input);
    const content_block = { type: "tool_use", id: `toolu_${String(turn).padStart(6, "0")}`, name, input: {} };
    parts.push(event("content_block_start", { index: 0, content_block }));
    for (const piece of [text.slice(0, text.length / 2), text.slice(text.length / 2)])
      parts.push(event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: piece } }));
  }
  parts.push(event("content_block_stop", { index: 0 }));
  parts.push(
    event("message_delta", { delta: { stop_reason: last ? "end_turn" : "tool_use", stop_sequence: null }, usage }),
  );
  parts.push(event("message_stop", {}));
  return parts.join("");
}

const server = createServer((request, response) => {
  const turn = arrivals.push(now()) - 1;
  let size = 0;
  request.on("data", (chunk) => {
    size += chunk.length;
    bodies?.write(chunk);
  });
  request.on("end", () => {
    sizes[turn] = size;
    bodies?.write("\n");
    const reply = () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answer(turn));
    };
    if (turn > 0 && turn < run.turns) return reply();
    held = reply;
    say({ holding: turn === 0 ? "first" : "last" });
  });
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => say({ port: server.address().port }));

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const order = JSON.parse(line);
    if (order.start) {
      run = order.start;
      [arrivals, sizes, held, released] = [[], [], undefined, 0];
      bodies = run.record ? createWriteStream(run.record) : undefined;
      say({ ready: true });
    } else if (order.release) {
      released ||= now();
      held?.();
    } else if (order.report) {
      const report = () => say({ arrivals, sizes, released });
      if (bodies) bodies.end(report);
      else report();
    }
  })
  .on("close", () => process.exit(0));
