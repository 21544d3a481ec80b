import type { Fetch } from "./http.js";
import type { OpenContext, ProviderDescriptor } from "./provider.js";
export function recording(_path: string, ctx: OpenContext, _descriptor: ProviderDescriptor): Fetch {
  return ctx.fetch;
}
