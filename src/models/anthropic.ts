import { defineProvider } from "./provider.js";
export default defineProvider({
  names: ["anthropic"],
  protocol: "Anthropic Messages",
  keyEnv: ["ANTHROPIC_API_KEY"],
  baseUrlEnv: ["ANTHROPIC_BASE_URL"],
  defaultModel: "claude-sonnet-5-5",
  async open() {
    throw new Error("not built yet");
  },
});
