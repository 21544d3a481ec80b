// What went wrong, in the few kinds the agent knows (core/model.ts), from whatever a provider package throws.
// Invariant: the text never contains the key, and says what was asked of whom; retries are not decided here.

import { messageOf } from "../core/errors.js";
import type { Message } from "../core/message.js";
import type { FailKind, ModelFailure } from "../core/model.js";
import { isObject, parseJson } from "../lib/json.js";
import { KnownFailure } from "./known-failure.js";

/** The parts of the provider packages' APICallError that matter; matched by shape, so their code need not be loaded. */
interface CallError {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
  message: string;
}

export interface FailureContext {
  /** `provider/model`, for the text. */
  id: string;
  /** Whatever must not appear in a text. */
  secrets: readonly string[];
  /** The variable or the setting that holds the key. */
  keyFrom: string | undefined;
  now: number;
  partial: Message | undefined;
}

/** How vendors say that a request does not fit the window. */
const overflow =
  /prompt is too long|too many (?:input )?tokens|context[_ ]length[_ ]exceeded|(?:maximum|max) context|context (?:window|length|size)|input (?:is too long|token count|length)|exceeds? the (?:available|model'?s?|maximum) (?:context|number of (?:input )?tokens)|request_too_large|request too large|reduce the length/i;

export function failureOf(thrown: unknown, context: FailureContext): ModelFailure {
  const known = knownIn(thrown);
  if (known) {
    const fail: ModelFailure = { type: "fail", kind: known.kind, text: known.message };
    if (context.partial) fail.partial = context.partial;
    return fail;
  }
  const error = shape(thrown);
  const status = error.statusCode;
  const kind = kindOf(error, status);
  const fail: ModelFailure = { type: "fail", kind, text: textOf(kind, error, status, context) };
  const retryAfter = retryAfterOf(error, context.now);
  if (retryAfter !== undefined) fail.retryAfter = retryAfter;
  if (status !== undefined && status > 0) fail.status = status;
  if (context.partial) fail.partial = context.partial;
  return fail;
}

/** Itself or what it was wrapped in by a package that saw only that a request or a stream had failed. */
function knownIn(thrown: unknown): KnownFailure | undefined {
  let error = thrown;
  for (let depth = 0; depth < 4 && error instanceof Error; depth++) {
    if (error instanceof KnownFailure) return error;
    error = error.cause;
  }
  return undefined;
}

export function cancelled(partial: Message | undefined): ModelFailure {
  const fail: ModelFailure = { type: "fail", kind: "cancelled", text: "The request was cancelled." };
  if (partial) fail.partial = partial;
  return fail;
}

/** Errors inside a stream are plain objects or strings; they become a CallError with the status their type stands for. */
function shape(thrown: unknown): CallError {
  if (thrown instanceof Error) {
    const { statusCode, responseHeaders, responseBody } = thrown as Error & Partial<CallError>;
    const error: CallError = { message: deepest(thrown) };
    if (typeof statusCode === "number") error.statusCode = statusCode;
    if (responseHeaders) error.responseHeaders = responseHeaders;
    if (typeof responseBody === "string") error.responseBody = responseBody;
    return error;
  }
  const data = isObject(thrown) && isObject(thrown["error"]) ? thrown["error"] : thrown;
  if (!isObject(data)) return { message: messageOf(thrown) };
  const type = `${String(data["type"] ?? "")} ${String(data["code"] ?? "")}`;
  const message = typeof data["message"] === "string" ? data["message"] : JSON.stringify(data);
  const statusCode = statusOfType(`${type} ${message}`, data["code"]);
  return statusCode === undefined ? { message } : { message, statusCode };
}

function statusOfType(type: string, code: unknown): number | undefined {
  if (typeof code === "number" && code >= 400 && code < 600) return code;
  if (/overloaded|unavailable/i.test(type)) return 529;
  if (/rate_limit|throttl|too many requests/i.test(type)) return 429;
  if (/authentication|permission|invalid_api_key/i.test(type)) return 401;
  if (overflow.test(type)) return 400;
  if (/invalid_request|validation/i.test(type)) return 400;
  return undefined;
}

/** The innermost message: "Cannot connect to API: connect ECONNREFUSED" rather than the wrapper's. */
function deepest(error: Error): string {
  let message = error.message;
  let cause = error.cause;
  for (let depth = 0; depth < 4 && cause instanceof Error; depth++) {
    if (cause.message && !message.includes(cause.message)) message = `${message}: ${cause.message}`;
    cause = cause.cause;
  }
  return message;
}

function kindOf(error: CallError, status: number | undefined): FailKind {
  if (status === undefined || status === 0 || (status >= 200 && status < 300)) return "network";
  if (status === 401 || status === 403) return "auth";
  if (status === 429) return "rate";
  if (status >= 500 || status === 408) return "network";
  const said = `${error.message} ${error.responseBody ?? ""}`;
  if (status === 413 || (status === 400 && overflow.test(said))) return "overflow";
  return "request";
}

function textOf(kind: FailKind, error: CallError, status: number | undefined, context: FailureContext): string {
  const http = status ? ` (HTTP ${status})` : "";
  const said = clean(error.message, context.secrets);
  const tail = said === "" ? "" : `: ${said}`;
  if (status !== undefined && status >= 300 && status < 400) {
    const host = hostOf(error.responseHeaders?.["location"]);
    return `${context.id}: the server answered with a redirect${host}, which is not followed because it would carry the key along. Set the base URL to the final address.`;
  }
  switch (kind) {
    case "auth":
      return `${context.id} refused the key${context.keyFrom ? ` from ${context.keyFrom}` : ""}${http}${tail}`;
    case "rate":
      return `${context.id} limits the rate${http}${tail}`;
    case "overflow":
      return `The request is too long for ${context.id}${http}${tail}`;
    case "network":
      return `${context.id} did not complete the answer${http}${tail}`;
    default:
      return `${context.id} rejected the request${http}${tail}${status === 404 ? notThere : ""}`;
  }
}

const notThere = " (check the name of the model, and the base URL if you have set one)";

function hostOf(location: string | undefined): string {
  if (!location) return "";
  try {
    return ` to ${new URL(location).host}`;
  } catch {
    return "";
  }
}

/** One line, at most 500 characters, without secrets or anything that looks like one. */
function clean(text: string, secrets: readonly string[]): string {
  let out = text.replace(/\s+/g, " ").trim();
  for (const secret of secrets) if (secret.length >= 6) out = out.split(secret).join("[key]");
  out = out.replace(/\b(?:sk|rk|pk|AIza|AKIA|ASIA)[-_A-Za-z0-9*]{8,}/g, "[key]");
  return out.length > 500 ? `${out.slice(0, 500)}…` : out;
}

/** Milliseconds; what says nothing that can be true is as if it were not there. Read are `retry-after-ms`, `retry-after` in seconds or as a date, or Google's RetryInfo in the body. */
function retryAfterOf(error: CallError, now: number): number | undefined {
  const headers = error.responseHeaders ?? {};
  const ms = Number(headers["retry-after-ms"]);
  if (headers["retry-after-ms"] && Number.isFinite(ms) && ms >= 0) return Math.round(ms);
  const value = headers["retry-after"];
  if (value) {
    const seconds = Number(value);
    if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.round(seconds * 1000);
    const date = Date.parse(value);
    if (Number.isFinite(date)) return Math.max(0, date - now);
  }
  return retryInfo(error.responseBody);
}

function retryInfo(body: string | undefined): number | undefined {
  if (!body?.includes("retryDelay") || parseJson(body) === undefined) return undefined;
  const seconds = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1];
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1000);
}
