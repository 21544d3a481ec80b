// The terminal interface in a project with images, before a server that speaks the wire.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AppOptions, appStage } from "./app.js";
import { gifImage, pngImage } from "./images.js";
import { startAnthropic, type WireReply } from "./wire/anthropic.js";

export const patient = { timeout: 50_000 };
export const shot = pngImage(640, 480, 12 * 1024);
export const mark = "[image shot.png 640×480, 12 KB]";

export const waiting: WireReply = {
  calls: [{ id: "c", name: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }],
};

/** The interface on a server of the wire; the project has images. */
export async function seeing(script: WireReply[], options: AppOptions = {}) {
  const server = await startAnthropic(script);
  onTestFinished(() => server.close());
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url };
  const { harness, ...more } = options;
  const s = await appStage([], {
    ...more,
    harness: {
      ...{ model: "anthropic/claude-sonnet-4-5", env },
      settings: { sandbox: { mode: "off" }, permissions: { mode: "auto" } },
      ...harness,
    },
    prepare(project, home) {
      mkdirSync(join(project, "my shots"));
      mkdirSync(join(project, ".ssh"));
      for (const path of ["shot.png", "my shots/shot.png", ".ssh/photo.png"]) writeFileSync(join(project, path), shot);
      writeFileSync(join(project, "other.gif"), gifImage(5, 4));
      writeFileSync(join(project, "fake.png"), "no image");
      options.prepare?.(project, home);
    },
  });
  /** What the user said last in a request. */
  const said = (request: number) => {
    const { messages } = JSON.parse(server.requests[request]?.body ?? "") as {
      messages: { content: { type: string }[] }[];
    };
    const blocks = messages.at(-1)?.content.filter(({ type }) => type !== "tool_result") as {
      cache_control?: object;
    }[];
    return blocks.map(({ cache_control: _mark, ...block }) => block);
  };
  return { ...s, server, said };
}
export type Seeing = Awaited<ReturnType<typeof seeing>>;

export const paste = (text: string) => `\x1b[200~${text}\x1b[201~`;

export const sent = (text: string, bytes = shot, type = "image/png") => [
  { type: "text", text },
  { type: "image", source: { type: "base64", media_type: type, data: bytes.toString("base64") } },
];
