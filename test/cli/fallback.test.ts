// The program with `models.fallback`, against two servers of different protocols.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";
import { startAnthropic, type WireReply } from "../support/wire/anthropic.js";
import { startChat } from "../support/wire/chat.js";

const away: WireReply = { status: 503, headers: { "retry-after": "0" } };

async function play(other: WireReply[], args: readonly string[] = []) {
  const servers = [await startAnthropic(() => away), await startChat(other)] as const;
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))));
  const stage = cliStage();
  const settings = { model: "anthropic/claude-sonnet-4-5", models: { fallback: ["openai-compatible/second"] } };
  writeFileSync(join(stage.home, "settings.json"), JSON.stringify(settings));
  const [first, second] = servers;
  const env = {
    ANTHROPIC_API_KEY: "k1",
    ANTHROPIC_BASE_URL: first.url,
    OPENAI_API_KEY: "k2",
    OPENAI_BASE_URL: `${second.url}/v1`,
  };
  const outcome = await stage.bare(["-p", "hi", ...args], { env });
  return { ...outcome, asked: [first.requests.length, second.requests.length] };
}

test("F 132, 133: another model answers, and stderr says so", async () => {
  const { exit, stdout, stderr, asked } = await play([{ text: "hello" }]);
  expect({ exit, stdout, asked }).toEqual({ exit: 0, stdout: "hello\n", asked: [5, 1] });
  expect(stderr).toContain("openai-compatible/second goes on with this run");
});

test("stream-json names the model that answered", async () => {
  const { stdout } = await play([{ text: "hello" }], ["--output-format", "stream-json"]);
  const lines = jsonLines(stdout);
  expect(lines[0]).toMatchObject({ subtype: "init", model: "anthropic/claude-sonnet-4-5" });
  expect(lines.find(({ type }) => type === "assistant")).toMatchObject({
    message: { model: "openai-compatible/second" },
  });
});

test("exit 75 when all of them are away", async () => {
  const { exit, stdout, asked } = await play(
    Array.from({ length: 5 }, () => away),
    ["--output-format", "json"],
  );
  expect([exit, jsonLines(stdout)[0]?.subtype, asked]).toEqual([75, "error_provider", [5, 5]]);
});
