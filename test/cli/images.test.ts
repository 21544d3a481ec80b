// Images on standard input of the built program: they reach the model, and one that cannot be sent costs its own line alone.

import { expect, onTestFinished, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";
import { gifImage } from "../support/images.js";
import { startAnthropic } from "../support/wire/anthropic.js";

const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/gif", data } });
const user = (...content: object[]) => ({ type: "user", message: { role: "user", content } });

test("a block with an image goes to the model; what is none is refused in its result, and the input goes on", async () => {
  const server = await startAnthropic([{ text: "I see." }, { text: "Still here." }]);
  onTestFinished(() => server.close());
  const seen = image(gifImage(5, 4).toString("base64"));
  const lines = [
    user({ type: "text", text: "Look." }, seen),
    user({ type: "text", text: "And?" }, image("bm8gaW1hZ2U=")),
    user({ type: "text", text: "/tree" }, seen),
    { type: "user", text: "Go on." },
  ];
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const { exit, stdout } = await cliStage().bare(["-p", "", "-m", "anthropic/claude-sonnet-4-5", ...formats], {
    input: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url },
  });
  const results = jsonLines(stdout).filter(({ type }) => type === "result");
  expect(results).toMatchObject([
    { subtype: "success", result: "I see." },
    { is_error: true },
    { is_error: true },
    { subtype: "success", result: "Still here." },
  ]);
  expect(JSON.stringify(results[1])).toContain("is no PNG, JPEG, GIF or WebP image");
  expect(JSON.stringify(results[2])).toContain("Commands take no images.");
  expect(exit).toBe(0);
  expect(server.requests).toHaveLength(2);
  const { messages } = JSON.parse(server.requests[0]?.body ?? "") as { messages: { content: object[] }[] };
  expect(messages[0]?.content).toMatchObject([{ type: "text", text: "Look." }, seen]);
});
