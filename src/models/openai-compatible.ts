// Chat Completions: OpenRouter, local servers, and whatever else speaks it. One system message, no cache marks.
// Which server: a base URL of the user's; else the key says it (OpenAI, OpenRouter); else a local server that has the
// model. Invariant: a key goes only to the host it belongs to or that the user named together with it.

import { UserError } from "../core/errors.js";
import { aiSdkModel, sdkFetch, userOptions, versioned } from "./ai-sdk.js";
import { discoverLocal } from "./discover.js";
import { defineProvider, type OpenContext, requireKey } from "./provider.js";

const openRouter = "https://openrouter.ai/api/v1";
const openAi = "https://api.openai.com/v1";

export default defineProvider({
  names: ["openai-compatible", "openrouter"],
  protocol: "Chat Completions",
  keyEnv: ["OPENAI_API_KEY", "OPENROUTER_API_KEY"],
  baseUrlEnv: ["OPENAI_BASE_URL"],
  defaultModel: null,
  async open(ctx) {
    const { baseURL, apiKey } = await target(ctx);
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const provider = createOpenAICompatible({
      name: "chat",
      baseURL,
      ...(apiKey ? { apiKey } : {}),
      includeUsage: true,
      fetch: sdkFetch(ctx),
      // OpenAI itself has renamed this field for its newer models; everybody else still reads the old name.
      ...(baseURL === openAi ? { transformRequestBody: renameLimit } : {}),
    });
    const secrets = apiKey ? [apiKey] : [];
    return aiSdkModel(ctx, provider(ctx.model), { merged: true, ...userOptions(ctx, "chat"), secrets });
  },
});

async function target(ctx: OpenContext): Promise<{ baseURL: string; apiKey: string | undefined }> {
  const router = ctx.env["OPENROUTER_API_KEY"];
  if (ctx.provider === "openrouter") {
    const own = { ...ctx, key: ctx.keyFromSettings ?? router };
    return { baseURL: ctx.urlFromSettings ?? openRouter, apiKey: requireKey(own, ["OPENROUTER_API_KEY"]) };
  }
  if (ctx.baseUrl) {
    const baseURL = versioned(ctx.baseUrl, "v1");
    const isRouter = new URL(baseURL).host.endsWith("openrouter.ai");
    return { baseURL, apiKey: ctx.keyFromSettings ?? (isRouter ? router : ctx.env["OPENAI_API_KEY"]) };
  }
  if (ctx.keyFromSettings ?? ctx.env["OPENAI_API_KEY"]) return { baseURL: openAi, apiKey: ctx.key };
  if (router) return { baseURL: openRouter, apiKey: router };
  return { baseURL: await localServer(ctx), apiKey: undefined };
}

/**
 * Without any key and address the id can only mean a local server, as `discoverLocal` prints it. Not asked through
 * `ctx.fetch`: looking around is no exchange with a model and belongs into no cassette.
 */
async function localServer(ctx: OpenContext): Promise<string> {
  const found = await discoverLocal(ctx.localServers ? { servers: ctx.localServers } : {});
  const match = found.find(({ model }) => model === ctx.model);
  if (match) return match.baseUrl;
  const others = found.map(({ id }) => id);
  throw new UserError(
    `There is no key for ${ctx.id} (OPENAI_API_KEY or OPENROUTER_API_KEY) and no local server offers "${ctx.model}".`,
    others.length > 0
      ? `A local server offers: ${others.join(", ")}.`
      : "Set OPENAI_BASE_URL to the address of a server, or a key, or name another model with -m.",
    3,
  );
}

function renameLimit(body: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens, ...rest } = body;
  return max_tokens === undefined ? rest : { ...rest, max_completion_tokens: max_tokens };
}
