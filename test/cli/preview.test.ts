// /preview in the shipped program: asked about, shown, asked, ended, and gone with Cinch.

import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliStage, jsonLines } from "../support/cli.js";

const server = `require("node:http").createServer((request, response) => response.end("hello"))
  .listen(process.env.PORT, process.env.HOST);`;

async function conversation(files: Record<string, string>, prompts: readonly string[], args: readonly string[] = []) {
  const stage = cliStage([{ text: "never" }]);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(stage.project, name), text);
  const input = prompts.map((text) => JSON.stringify({ type: "user", text })).join("\n");
  const flags = ["--input-format", "stream-json", "--output-format", "stream-json", ...args];
  const run = await stage.run(flags, { input: `${input}\n` });
  const ends = jsonLines(run.stdout).filter(({ type }) => type === "result");
  return { ends: ends as unknown as { result: string; detail?: string; subtype: string }[], stage };
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, () => resolve(true)).once("error", () => resolve(false));
  });
}

test("a server is shown, asked and stopped; what is left running ends with Cinch", async () => {
  const prompts = ["/preview status", "/preview", "/preview status", "/preview stop", "/preview"];
  const { ends } = await conversation({ "server.js": server }, prompts, ["--permission-mode", "auto"]);
  expect(ends.map(({ subtype }) => subtype)).toEqual(Array(5).fill("success"));
  const [none, shown, status, stopped, again] = ends.map(({ result }) => result);
  expect(none).toBe("There is no preview.");
  expect(shown).toMatch(/^http:\/\/127\.0\.0\.1:3\d{3}\/ \(node\) is healthy\. It answers \(200\)\.$/);
  expect(status).toBe(shown);
  expect(stopped).toMatch(/\(node\) is stopped\. It was stopped\.$/);
  expect(await answers(again?.split(" ")[0] ?? "")).toBe(false);
});

test("a page alone is shown without a command, in every mode", async () => {
  const { ends } = await conversation({ "index.html": "<p>here" }, ["/preview"]);
  expect(ends).toMatchObject([{ subtype: "success", result: expect.stringMatching(/\(static\) is healthy/) }]);
});

test("what nobody allows, what breaks and what is not known is said", async () => {
  const denied = await conversation(
    { "server.js": server },
    ["/preview", "/preview now"],
    ["--permission-mode", "plan"],
  );
  expect(denied.ends.map(({ subtype }) => subtype)).toEqual(Array(2).fill("error_during_execution"));
  expect(denied.ends[0]?.detail).toContain("was not started");
  expect(denied.ends[1]?.detail).toContain("It knows: status, stop, detach.");
  const broken = await conversation({ "server.js": "app.listen(1);" }, ["/preview"], ["--permission-mode", "auto"]);
  expect(broken.ends[0]).toMatchObject({ subtype: "error_during_execution" });
  expect(broken.ends[0]?.detail).toMatch(/is unhealthy\. It has ended with exit code 1\.[\s\S]*app is not defined/);
});
