// A LanguageModelV3 of an AI SDK provider package as our Model. Only `doStream` is used; the `ai` core is not here.
// Invariant (core/model.ts): exactly one `done` or `fail` ends a stream, nothing is thrown for the world's faults, an
// abort ends it at once. No retries: one stream() is one HTTP request.

import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { JsonObject } from "../core/json.js";
import type { Model, ModelEvent, ModelRequest } from "../core/model.js";
import { RunningTimer } from "../lib/running-timer.js";
import { MessageBuilder } from "./ai-sdk-events.js";
import { type Dialect, PromptConverter } from "./ai-sdk-prompt.js";
import { cancelled, type FailureContext, failureOf } from "./failure.js";
import { StallError } from "./http.js";
import { KnownFailure } from "./known-failure.js";
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
  const converter = new PromptConverter(ctx.id, { ...options, images: ctx.facts.images === true });
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
      const watch = watched(ctx.stall, signal, (why) => {
        builder.error ??= why;
      });
      try {
        const { stream } = await inner.doStream({ ...converter.options(request), abortSignal: watch.signal });
        yield* deltas(stream, builder, options, watch.heard);
      } catch (error) {
        return yield fault(builder.error ?? error);
      } finally {
        watch.end();
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
  heard: () => void,
): AsyncGenerator<ModelEvent> {
  const reader = stream.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
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

/**
 * Gives up an answer that does not begin or go on although bytes arrive (pings, headers, an error page in drops), and one
 * that never ends. `signal` is aborted then, and by the caller's.
 */
function watched({ firstByte, betweenParts, total }: Patience, given: AbortSignal, tell: (fault: Error) => void) {
  const controller = new AbortController();
  const follow = () => controller.abort(given.reason);
  if (given.aborted) follow();
  given.addEventListener("abort", follow, { once: true });
  const giveUp = (fault: Error) => {
    tell(fault);
    controller.abort(fault);
  };
  const seconds = (ms: number) => (ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`);
  const silent = (ms: number) =>
    new RunningTimer(ms, () => giveUp(new StallError(`nothing of the answer came for ${seconds(ms)}`)));
  let silence = silent(Math.max(firstByte, betweenParts));
  let begun = false;
  const whole = new RunningTimer(total, () => {
    giveUp(new KnownFailure("request", `The answer was not complete after ${seconds(total)}; it was given up.`));
  });
  return {
    signal: controller.signal,
    heard() {
      if (begun) return silence.refresh();
      begun = true;
      silence.end();
      silence = silent(betweenParts);
    },
    end() {
      silence.end();
      whole.end();
      given.removeEventListener("abort", follow);
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
