import { defineProvider } from "./provider.js";
export default defineProvider({
  names: ["openai"],
  protocol: "OpenAI Responses",
  keyEnv: ["OPENAI_API_KEY"],
  baseUrlEnv: ["OPENAI_BASE_URL"],
  defaultModel: "gpt-6.1-sol",
  async open() {
    throw new Error("not built yet");
  },
});
