// A LanguageModelV3 of an AI SDK provider package as our Model. Only `doStream` is used; the `ai` core is not here.
// Invariant (core/model.ts): exactly one `done` or `fail` ends a stream, nothing is thrown for the world's faults, an
// abort ends it at once. No retries: one stream() is one HTTP request.

import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { JsonObject } from "../core/json.js";
import type { Model, ModelEvent, ModelRequest } from "../core/model.js";
import { MessageBuilder } from "./ai-sdk-events.js";
import { type Dialect, PromptConverter } from "./ai-sdk-prompt.js";
import { cancelled, type FailureContext, failureOf, KnownFailure } from "./failure.js";
import { StallError } from "./http.js";
import type { OpenContext, Patience } from "./provider.js";

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
          keyFrom: ctx.keyFrom,
          now: ctx.clock.now(),
          partial: builder.partial(),
        };
        return signal.aborted ? cancelled(context.partial) : failureOf(error, context);
      };
      try {
        const call = { ...converter.options(request), abortSignal: signal };
        const { stream } = await inner.doStream(call);
        yield* deltas(stream, builder, options, ctx.stall);
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
  patience: Patience,
): AsyncGenerator<ModelEvent> {
  const reader = stream.getReader();
  const watch = watched(patience, (fault) => {
    builder.error ??= fault;
    reader.cancel().catch(() => undefined);
  });
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      watch.heard();
      if (value.type === "error" && options.harmless?.(value.error)) continue;
      const event = builder.take(value);
      if (event) yield event;
      // Whatever follows an error cannot be trusted to belong to this message.
      if (builder.error !== undefined) return;
    }
  } finally {
    watch.end();
    // Ends the request when the consumer stops early; after the end of the stream it does nothing.
    reader.cancel().catch(() => undefined);
  }
}

/** Gives up an answer that does not go on although bytes arrive (pings), and one that never ends. */
function watched({ betweenParts, total }: Patience, giveUp: (fault: Error) => void): { heard(): void; end(): void } {
  const seconds = (ms: number) => (ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`);
  const silence = setTimeout(
    () => giveUp(new StallError(`nothing of the answer came for ${seconds(betweenParts)}`)),
    betweenParts,
  );
  const whole = setTimeout(() => {
    giveUp(new KnownFailure("request", `The answer was not complete after ${seconds(total)}; it was given up.`));
  }, total);
  return {
    heard: () => void silence.refresh(),
    end() {
      clearTimeout(silence);
      clearTimeout(whole);
    },
  };
}

/** The user's `models.<provider>.options` as provider options under the package's own name for itself. */
export function userOptions(ctx: OpenContext, vendor: string, fixed: JsonObject = {}): Pick<Dialect, "options"> {
  const all = { ...fixed, ...ctx.options };
  return Object.keys(all).length > 0 ? { options: { [vendor]: all } as NonNullable<Dialect["options"]> } : {};
}

/** `fetch` for a provider package: with our limits on silence, and typed as the global one the packages expect. */
export function sdkFetch(ctx: OpenContext, headers?: (all: Record<string, string>) => void): typeof globalThis.fetch {
  const fetch = async (url: string | URL, init: { headers?: unknown }) => {
    if (headers && typeof init.headers === "object" && init.headers !== null) {
      headers(init.headers as Record<string, string>);
    }
    const response = await ctx.fetch(url, { ...init, stall: ctx.stall });
    if (!response.ok || !/^text\/html\b/i.test(response.headers.get("content-type") ?? "")) return response;
    await response.body?.cancel();
    const text = `${ctx.id}: ${new URL(url).host} answered with a web page and not as a model does. Check the base URL, and whether this network wants you to log in first.`;
    throw new KnownFailure("request", text);
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
