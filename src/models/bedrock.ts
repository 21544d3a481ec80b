import { defineProvider } from "./provider.js";
export default defineProvider({
  names: ["bedrock"],
  protocol: "Amazon Bedrock Converse",
  keyEnv: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
  baseUrlEnv: ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
  defaultModel: "us.anthropic.claude-sonnet-5-5",
  async open() {
    throw new Error("not built yet");
  },
});
