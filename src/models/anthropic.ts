// Anthropic Messages. Two system blocks, the stable one with a cache mark; further marks where the request puts them.

import { isObject } from "../lib/json.js";
import { aiSdkModel, sdkFetch, userOptions, versioned } from "./ai-sdk.js";
import { defineProvider, requireKey } from "./provider.js";

const keyEnv = ["ANTHROPIC_API_KEY"];

export default defineProvider({
  names: ["anthropic"],
  protocol: "Anthropic Messages",
  keyEnv,
  baseUrlEnv: ["ANTHROPIC_BASE_URL"],
  defaultModel: "claude-sonnet-5-5",
  async open(ctx) {
    const apiKey = requireKey(ctx, keyEnv);
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const provider = createAnthropic({
      apiKey,
      baseURL: versioned(ctx.baseUrl ?? "https://api.anthropic.com", "v1"),
      fetch: sdkFetch(ctx, dropNeedlessBeta),
    });
    return aiSdkModel(ctx, provider(ctx.model), {
      mark: { anthropic: { cacheControl: { type: "ephemeral" } } },
      // The package's default adds a field to every tool, which costs bytes and which some proxies reject.
      tool: { anthropic: { eagerInputStreaming: false } },
      ...userOptions(ctx, "anthropic"),
      thinks: ctx.options["thinking"] !== undefined,
      secrets: [apiKey],
      harmless: isUnknownEvent,
    });
  },
});

/** The package asks for structured outputs whenever there are tools; we send none of their fields. */
function dropNeedlessBeta(headers: Record<string, string>): void {
  const betas = (headers["anthropic-beta"] ?? "").split(",").filter((beta) => !/^(structured-outputs-.*|)$/.test(beta));
  if (betas.length > 0) headers["anthropic-beta"] = betas.join(",");
  else delete headers["anthropic-beta"];
}

const known = /^(message_(start|delta|stop)|content_block_(start|delta|stop)|error)$/;

/** Vendors add event types; one that this version does not know carries nothing that we would lose. */
function isUnknownEvent(error: unknown): boolean {
  const value = error instanceof Error && "value" in error ? error.value : undefined;
  return isObject(value) && typeof value["type"] === "string" && !known.test(value["type"]);
}
