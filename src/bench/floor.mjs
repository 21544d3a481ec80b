// The floor: the least a program can do and still be an agent. It makes the same HTTP turns against the same loopback
// model as Cinch, streams the answers, runs three tools, keeps the conversation and marks the cache. It has no guards,
// no log, no limits and no errors; ratios in docs/performance.md are to this program. Usage: floor.mjs <prompt> [http|fetch]
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";

const tool = (name, description, ...keys) => {
  const properties = Object.fromEntries(keys.map((key) => [key, { type: "string" }]));
  return { name, description, input_schema: { type: "object", properties, required: keys } };
};
const tools = [
  tool("run_command", "Run a command with bash and return what it prints.", "command"),
  tool("read_file", "Read a text file.", "path"),
  tool("edit_file", "Replace one piece of text in a file.", "path", "old_string", "new_string"),
];
const run = {
  run_command: ({ command }) =>
    new Promise((done) => execFile("bash", ["-c", command], (_, out, err) => done(out + err))),
  read_file: ({ path }) => readFileSync(path, "utf8"),
  edit_file({ path, old_string, new_string }) {
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(old_string, () => new_string),
    );
    return `Edited ${path}.`;
  },
};
const mark = { cache_control: { type: "ephemeral" } };
const system = [{ type: "text", text: "You are a coding agent. Use the tools to do what the user asks.", ...mark }];
const url = new URL("/v1/messages", process.env.ANTHROPIC_BASE_URL);
const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "none" };
const agent = new Agent({ keepAlive: true });

/** Sends a body and hands over the answer as it streams in. */
const send = {
  http: (body, take) =>
    new Promise((resolve, reject) => {
      const call = request(url, { agent, method: "POST", headers }, (response) => {
        response.setEncoding("utf8").on("data", take).on("end", resolve);
      });
      call.on("error", reject).end(body);
    }),
  async fetch(body, take) {
    const response = await fetch(url, { method: "POST", headers, body });
    const decoder = new TextDecoder();
    for await (const chunk of response.body) take(decoder.decode(chunk, { stream: true }));
  },
}[process.argv[3] ?? "http"];

async function ask(body) {
  const blocks = [];
  let rest = "";
  const read = (line) => {
    const event = line.startsWith("data:") ? JSON.parse(line.slice(5)) : {};
    if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" };
    if (event.delta?.type === "text_delta") blocks[event.index].text += event.delta.text;
    if (event.delta?.type === "input_json_delta") blocks[event.index].json += event.delta.partial_json;
  };
  await send(JSON.stringify(body), (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    lines.forEach(read);
  });
  return blocks.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(json) } : block));
}

const messages = [{ role: "user", content: [{ type: "text", text: process.argv[2] }] }];
for (;;) {
  const last = messages.at(-1);
  const marked = { ...last, content: last.content.with(-1, { ...last.content.at(-1), ...mark }) };
  const content = await ask({
    model: "claude-sonnet-4-5",
    max_tokens: 8192,
    stream: true,
    tools,
    system,
    messages: messages.with(-1, marked),
  });
  messages.push({ role: "assistant", content });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) break;
  const results = calls.map(async (call) => ({
    type: "tool_result",
    tool_use_id: call.id,
    content: String(await run[call.name](call.input)),
  }));
  messages.push({ role: "user", content: await Promise.all(results) });
}
console.log(
  messages
    .at(-1)
    .content.map((block) => block.text)
    .join(""),
);
