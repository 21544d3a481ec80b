// A program that was stopped for longer than a limit (Ctrl+Z, a laptop that slept) finds its timers due when it continues. What
// arrived meanwhile counts: it is read before anything is given up. Time has to pass here, and nothing is said about how much.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished } from "vitest";
import buildDist from "../support/build.js";
import { cliStage, LiveCli } from "../support/cli.js";
import { needsProc } from "../support/needs.js";
import { anthropicEvents } from "../support/wire/anthropic.js";

beforeAll(buildDist);

/** Seconds; a busy machine needs some to stop the program in time. */
const limit = 4;

const frames = anthropicEvents({ text: "the whole answer", chunk: 4 }).map(
  (event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`,
);

/** Stops the program, lets `meanwhile` happen and the limit pass by the clock of another program. */
function whileStopped({ child }: LiveCli, meanwhile: () => void): void {
  const { pid } = child;
  child.kill("SIGSTOP");
  while (!/\) T /.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
  meanwhile();
  execFileSync("sleep", [`${limit + 0.5}`]);
}

/** Whoever asks gets the headers and as many frames at once, and the rest when `finish` is called. */
async function answering(first: number) {
  const responses: ServerResponse[] = [];
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      responses.push(response);
      if (first > 0) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const frame of frames.slice(0, first)) response.write(frame);
      }
      asked();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const finish = () => {
    const [response] = responses;
    if (first === 0) response?.writeHead(200, { "content-type": "text/event-stream" });
    response?.end(frames.slice(first).join(""));
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, responses, isAsked, finish };
}

const settings = { sandbox: { mode: "off" }, lsp: { disabled: ["*"] }, limits: { stall: limit } };

needsProc("an answer that was in the socket when the program continued is read", async () => {
  const server = await answering(4);
  const { project, home } = cliStage();
  writeFileSync(join(project, "../short.json"), JSON.stringify(settings));
  const model = ["-m", "anthropic/claude-sonnet-4-5", "--settings", join(project, "../short.json")];
  const env = { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url };
  const cli = new LiveCli(["-p", "go", "--output-format", "events", ...model], project, home, { env });
  await cli.line(({ type }) => type === "text.delta");
  // Sent by this process before it waits: the kernel has it while the program is stopped.
  whileStopped(cli, server.finish);
  await new Promise(setImmediate);
  cli.child.kill("SIGCONT");
  const { exit, stderr } = await cli.done;
  expect(exit, stderr).toBe(0);
  expect(await cli.line(({ type }) => type === "run.end")).toMatchObject({ result: "the whole answer", num_turns: 1 });
  expect(server.responses).toHaveLength(1);
  expect(cli.stdout).not.toContain("turn.retry");
});

needsProc("a command that ended while the program was stopped has not timed out", async () => {
  const command = "echo begun; cat ../gate; echo through";
  const script = [
    { calls: [{ tool: "run_command", input: { command, timeout_seconds: limit } }] },
    { text: "the answer" },
  ];
  const { project, start } = cliStage(script);
  const gate = join(project, "../gate");
  execFileSync("mkfifo", [gate]);
  const cli = start(["-p", "go", "--permission-mode", "auto", "--output-format", "events"]);
  await cli.line(({ type, line }) => type === "call.progress" && line === "begun");
  whileStopped(cli, () => writeFileSync(gate, "open\n"));
  cli.child.kill("SIGCONT");
  const ended = await cli.line(({ type, tool }) => type === "call.end" && tool === "run_command");
  expect(ended).toMatchObject({ status: "ok", text: expect.stringMatching(/open\nthrough/) });
  expect((await cli.done).exit).toBe(0);
});
