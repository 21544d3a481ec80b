// OpenAI Responses, stateless: nothing is stored there, reasoning travels encrypted in our own log and back verbatim.

import { aiSdkModel, sdkFetch, userOptions, versioned } from "./ai-sdk.js";
import { defineProvider, requireKey } from "./provider.js";

const keyEnv = ["OPENAI_API_KEY"];

export default defineProvider({
  names: ["openai"],
  protocol: "OpenAI Responses",
  keyEnv,
  baseUrlEnv: ["OPENAI_BASE_URL"],
  defaultModel: "gpt-6.1-sol",
  async open(ctx) {
    const apiKey = requireKey(ctx, keyEnv);
    const { createOpenAI } = await import("@ai-sdk/openai");
    const provider = createOpenAI({
      apiKey,
      baseURL: versioned(ctx.baseUrl ?? "https://api.openai.com", "v1"),
      fetch: sdkFetch(ctx),
    });
    return aiSdkModel(ctx, provider.responses(ctx.model), {
      merged: true,
      // With `store: false` the package asks for encrypted reasoning wherever the model reasons.
      ...userOptions(ctx, "openai", { store: false }),
      secrets: [apiKey],
    });
  },
});
