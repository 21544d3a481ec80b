// A LanguageModelV3 of an AI SDK provider package as our Model. Only `doStream` is used; the `ai` core is not here.
// Invariant (core/model.ts): exactly one `done` or `fail` ends a stream, nothing is thrown for the world's faults, an
// abort ends it at once. No retries: one stream() is one HTTP request.

import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { JsonObject } from "../core/json.js";
import type { Model, ModelEvent, ModelRequest } from "../core/model.js";
import { MessageBuilder } from "./ai-sdk-events.js";
import { type Dialect, PromptConverter } from "./ai-sdk-prompt.js";
import { cancelled, type FailureContext, failureOf } from "./failure.js";
import type { OpenContext } from "./provider.js";

export interface AiSdkOptions extends Dialect {
  /** Never to appear in a text. */
  secrets: readonly string[];
  /** The user's options make it think before it answers, and then no answer can be begun for it. */
  thinks?: boolean;
  /** True for an error inside a stream that loses nothing, such as an event type this version does not know. */
  harmless?(error: unknown): boolean;
}

export function aiSdkModel(ctx: OpenContext, inner: LanguageModelV3, options: AiSdkOptions): Model {
  const converter = new PromptConverter(ctx.id, options);
  const { prefill: _, ...cautious } = ctx.facts;
  return {
    id: ctx.id,
    facts: options.thinks ? cautious : ctx.facts,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const builder = new MessageBuilder(ctx.id);
      const fault = (error: unknown) => {
        const context: FailureContext = {
          id: ctx.id,
          secrets: options.secrets,
          now: ctx.clock.now(),
          partial: builder.partial(),
        };
        return signal.aborted ? cancelled(context.partial) : failureOf(error, context);
      };
      try {
        const call = { ...converter.options(request), abortSignal: signal };
        const { stream } = await inner.doStream(call);
        yield* deltas(stream, builder, options);
      } catch (error) {
        return yield fault(error);
      }
      if (signal.aborted) return yield cancelled(builder.partial());
      if (builder.error !== undefined) return yield fault(builder.error);
      if (builder.stop === undefined) return yield fault(new Error("the stream ended before the message did"));
      const message = builder.message();
      return yield { type: "done", message, usage: builder.usage, stop: builder.stop };
    },
  };
}

async function* deltas(
  stream: Awaited<ReturnType<LanguageModelV3["doStream"]>>["stream"],
  builder: MessageBuilder,
  options: AiSdkOptions,
): AsyncGenerator<ModelEvent> {
  const reader = stream.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      if (value.type === "error" && options.harmless?.(value.error)) continue;
      const event = builder.take(value);
      if (event) yield event;
      // Whatever follows an error cannot be trusted to belong to this message.
      if (builder.error !== undefined) return;
    }
  } finally {
    // Ends the request when the consumer stops early; after the end of the stream it does nothing.
    reader.cancel().catch(() => undefined);
  }
}

/** The user's `models.<provider>.options` as provider options under the package's own name for itself. */
export function userOptions(ctx: OpenContext, vendor: string, fixed: JsonObject = {}): Pick<Dialect, "options"> {
  const all = { ...fixed, ...ctx.options };
  return Object.keys(all).length > 0 ? { options: { [vendor]: all } as NonNullable<Dialect["options"]> } : {};
}

/** `fetch` for a provider package: with our limits on silence, and typed as the global one the packages expect. */
export function sdkFetch(ctx: OpenContext, headers?: (all: Record<string, string>) => void): typeof globalThis.fetch {
  const fetch = (url: string | URL, init: { headers?: unknown }) => {
    if (headers && typeof init.headers === "object" && init.headers !== null) {
      headers(init.headers as Record<string, string>);
    }
    return ctx.fetch(url, { ...init, stall: ctx.stall });
  };
  return fetch as unknown as typeof globalThis.fetch;
}

/**
 * A base URL with the version the protocol needs: people write it with and without (`https://host`, `https://host/v1`).
 * A path that already has a version anywhere is left alone.
 */
export function versioned(url: string, version: string): string {
  const trimmed = url.replace(/\/+$/, "");
  return /\/v\d+[a-z0-9]*(?:\/|$)/i.test(trimmed.replace(/^[a-z]+:\/\/[^/]*/i, "")) ? trimmed : `${trimmed}/${version}`;
}
