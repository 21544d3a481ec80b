// Amazon Bedrock (Converse): Claude and Nova ids, with a bearer key or static AWS keys.
// Not here: profiles, SSO and instance roles. They need the AWS credential chain, which is not a dependency of Cinch.

import { UserError } from "../core/errors.js";
import type { Model, ModelRequest } from "../core/model.js";
import { aiSdkModel, sdkFetch, userOptions } from "./ai-sdk.js";
import { novaMaxOutput } from "./catalog.js";
import { defineProvider, type OpenContext } from "./provider.js";

export default defineProvider({
  names: ["bedrock"],
  protocol: "Amazon Bedrock Converse",
  keyEnv: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
  baseUrlEnv: ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"],
  defaultModel: "us.anthropic.claude-sonnet-5-5",
  async open(ctx) {
    const access = accessOf(ctx);
    const region = ctx.env["AWS_REGION"] || ctx.env["AWS_DEFAULT_REGION"] || "us-east-1";
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    const provider = createAmazonBedrock({
      ...access,
      region,
      baseURL: (ctx.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`).replace(/\/+$/, ""),
      fetch: sdkFetch(ctx),
    });
    const model = aiSdkModel(ctx, provider(ctx.model), {
      // Nova caches as well, but rejects marks on tool results; its stable block alone is not worth a special case.
      ...(isNova(ctx.model) ? {} : { mark: { bedrock: { cachePoint: { type: "default" } } } }),
      ...userOptions(ctx, "bedrock"),
      thinks: ["reasoningConfig", "additionalModelRequestFields"].some((name) => ctx.options[name] !== undefined),
      secrets: Object.values(access).filter((value) => value !== ""),
    });
    return isNova(ctx.model) ? limited(model) : model;
  },
});

type Access = { apiKey: string } | { apiKey: ""; accessKeyId: string; secretAccessKey: string; sessionToken?: string };

function accessOf(ctx: OpenContext): Access {
  const bearer = ctx.keyFromSettings ?? ctx.env["AWS_BEARER_TOKEN_BEDROCK"];
  if (bearer) return { apiKey: bearer };
  const accessKeyId = ctx.env["AWS_ACCESS_KEY_ID"];
  const secretAccessKey = ctx.env["AWS_SECRET_ACCESS_KEY"];
  const sessionToken = ctx.env["AWS_SESSION_TOKEN"];
  // An empty apiKey keeps the package from looking into process.env by itself.
  if (accessKeyId && secretAccessKey) {
    return { apiKey: "", accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  }
  const missing = accessKeyId ? "AWS_SECRET_ACCESS_KEY" : "AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID";
  throw new UserError(
    `There are no credentials for ${ctx.id}: ${missing} is not set.`,
    "Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Profiles and SSO are not supported; `aws configure export-credentials --format env` prints them as variables.",
    3,
  );
}

function isNova(model: string): boolean {
  return model.includes("amazon.nova");
}

/** Nova refuses to write more than this at once, whatever the settings say (SPEC 2.16). */
function limited(model: Model): Model {
  return {
    ...model,
    stream: (request: ModelRequest, signal) =>
      model.stream({ ...request, maxOutput: Math.min(request.maxOutput, novaMaxOutput) }, signal),
  };
}
