import { defineProvider } from "./provider.js";
export default defineProvider({
  names: ["openai-compatible", "openrouter"],
  protocol: "Chat Completions",
  keyEnv: ["OPENAI_API_KEY", "OPENROUTER_API_KEY"],
  baseUrlEnv: ["OPENAI_BASE_URL"],
  defaultModel: null,
  async open() {
    throw new Error("not built yet");
  },
});
