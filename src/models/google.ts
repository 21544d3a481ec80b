// Google's Gemini API. The system blocks become one systemInstruction; caching is the vendor's own, so no marks.

import { aiSdkModel, sdkFetch, userOptions, versioned } from "./ai-sdk.js";
import { defineProvider, requireKey } from "./provider.js";

const keyEnv = ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"];

export default defineProvider({
  names: ["google"],
  protocol: "Gemini API",
  keyEnv,
  baseUrlEnv: ["GOOGLE_GEMINI_BASE_URL"],
  defaultModel: "gemini-pro-latest",
  async open(ctx) {
    const apiKey = requireKey(ctx, keyEnv);
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    const provider = createGoogleGenerativeAI({
      apiKey,
      baseURL: versioned(ctx.baseUrl ?? "https://generativelanguage.googleapis.com", "v1beta"),
      fetch: sdkFetch(ctx),
    });
    return aiSdkModel(ctx, provider(ctx.model), { ...userOptions(ctx, "google"), secrets: [apiKey] });
  },
});
