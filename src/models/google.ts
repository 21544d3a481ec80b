import { defineProvider } from "./provider.js";
export default defineProvider({
  names: ["google"],
  protocol: "Google Generative Language",
  keyEnv: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
  baseUrlEnv: ["GOOGLE_GEMINI_BASE_URL"],
  defaultModel: "gemini-pro-latest",
  async open() {
    throw new Error("not built yet");
  },
});
