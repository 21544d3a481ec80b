// A ModelRequest as the call options of the AI SDK provider packages (LanguageModelV3).
// Invariant: a pure function of the request; a message converts to the same value every time, and is converted once.
// Thinking goes back only to the model that produced it; opaque baggage goes back verbatim or, when the message also
// holds another model's thinking, not at all. Nothing is added to a text, ever.

import type { JSONSchema7, LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";
import { imageLine } from "../core/image.js";
import type { JsonObject } from "../core/json.js";
import type { Message, Part } from "../core/message.js";
import type { Mark, ModelRequest, ToolDeclaration } from "../core/model.js";

type ProviderOptions = NonNullable<LanguageModelV3CallOptions["providerOptions"]>;
type Tools = NonNullable<LanguageModelV3CallOptions["tools"]>;
type UserMessage = Extract<LanguageModelV3Message, { role: "user" }>;
type AssistantPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

/** What differs between protocols before the provider package takes over. */
export interface Dialect {
  /** The model takes images; for any other a line stands in the place of each. */
  images?: boolean;
  /** Cache mark of the protocol; absent = none are sent. */
  mark?: ProviderOptions;
  /** One system message (stable, blank line, context) and adjacent user parts joined with a blank line. */
  merged?: boolean;
  /** Provider options of every call; the user's. The packages check them against a big schema, so none is cheapest. */
  options?: ProviderOptions;
  /** Provider options of every tool. */
  tool?: ProviderOptions;
}

/** At most this many marks on messages; with the one on the stable block that makes the vendors' four. */
const maxMarks = 3;

export class PromptConverter {
  readonly #id: string;
  readonly #dialect: Dialect;
  readonly #messages = new WeakMap<Message, LanguageModelV3Message | null>();
  readonly #tools = new WeakMap<readonly ToolDeclaration[], Tools>();

  /** `id`: the model whose own thinking is replayed. */
  constructor(id: string, dialect: Dialect) {
    this.#id = id;
    this.#dialect = dialect;
  }

  options(request: ModelRequest): LanguageModelV3CallOptions {
    const options: LanguageModelV3CallOptions = {
      prompt: [...this.#system(request), ...this.#conversation(request)],
      maxOutputTokens: request.maxOutput,
    };
    if (request.tools.length > 0) options.tools = this.#declared(request.tools);
    if (this.#dialect.options) options.providerOptions = this.#dialect.options;
    return options;
  }

  #system(request: ModelRequest): LanguageModelV3Message[] {
    const { merged, mark } = this.#dialect;
    const texts = [request.stable, request.context].filter((text) => text !== "");
    if (merged) return texts.length > 0 ? [{ role: "system", content: texts.join("\n\n") }] : [];
    return texts.map((content) =>
      mark && content === request.stable
        ? { role: "system", content, providerOptions: mark }
        : { role: "system", content },
    );
  }

  #conversation(request: ModelRequest): LanguageModelV3Message[] {
    const marks = this.#dialect.mark ? request.marks.slice(0, maxMarks) : [];
    const out: LanguageModelV3Message[] = [];
    request.messages.forEach((message, i) => {
      const here = marks.filter((mark) => mark.message === i);
      const converted = here.length > 0 ? this.#convert(message, here) : this.#cached(message);
      if (!converted) return;
      const last = out.at(-1);
      if (this.#dialect.merged && converted.role === "user" && last?.role === "user") {
        out[out.length - 1] = joinUser(last, converted);
      } else if (converted.role === "tool" && last?.role === "tool") {
        // Results of one answer belong into one message: Gemini counts them.
        out[out.length - 1] = { role: "tool", content: [...last.content, ...converted.content] };
      } else out.push(converted);
    });
    return out;
  }

  #cached(message: Message): LanguageModelV3Message | null {
    let converted = this.#messages.get(message);
    if (converted === undefined) {
      converted = this.#convert(message, []);
      this.#messages.set(message, converted);
    }
    return converted;
  }

  /** null when nothing of the message is left to send: vendors reject empty messages and blank texts. */
  #convert(message: Message, marks: readonly Mark[]): LanguageModelV3Message | null {
    const mark = this.#dialect.mark;
    const marked = (index: number): { providerOptions?: ProviderOptions } =>
      mark && marks.some(({ part }) => part === index) ? { providerOptions: mark } : {};
    if (message.role === "user") {
      const content = message.parts.flatMap((part, i) => userParts(part, this.#dialect.images === true, marked(i)));
      if (content.length === 0) return null;
      return joinTexts({ role: "user", content }, this.#dialect.merged === true);
    }
    if (message.role === "tool") {
      const content = message.parts.flatMap((part, i) => (part.type === "result" ? [resultPart(part, marked(i))] : []));
      return content.length > 0 ? { role: "tool", content } : null;
    }
    const foreign = message.parts.some((part) => part.type === "thinking" && part.by !== this.#id);
    const content = message.parts.flatMap((part, i) => this.#assistantParts(part, foreign, marked(i)));
    return content.length > 0 ? { role: "assistant", content } : null;
  }

  #assistantParts(part: Part, foreign: boolean, marked: { providerOptions?: ProviderOptions }): AssistantPart[] {
    const baggage = (opaque: JsonObject | undefined) => {
      const providerOptions = { ...(foreign ? {} : opaque), ...marked.providerOptions };
      return Object.keys(providerOptions).length > 0 ? { providerOptions: providerOptions as ProviderOptions } : {};
    };
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ type: "text", text: part.text, ...baggage(part.opaque) }];
      case "thinking": {
        if (part.by !== this.#id) return [];
        const own = part.opaque ? { providerOptions: part.opaque as ProviderOptions } : {};
        return [{ type: "reasoning", text: part.text, ...own }];
      }
      case "call": {
        const call = { toolCallId: part.id, toolName: part.tool, input: part.raw === undefined ? part.input : {} };
        return [{ type: "tool-call", ...call, ...baggage(part.opaque) }];
      }
      default:
        return [];
    }
  }

  #declared(tools: readonly ToolDeclaration[]): Tools {
    let declared = this.#tools.get(tools);
    if (!declared) {
      declared = tools.map(({ name, description, input }) => {
        const { $schema: _, ...schema } = input;
        const own = this.#dialect.tool ? { providerOptions: this.#dialect.tool } : {};
        return { type: "function" as const, name, description, inputSchema: schema as JSONSchema7, ...own };
      });
      this.#tools.set(tools, declared);
    }
    return declared;
  }
}

function userParts(part: Part, images: boolean, marked: { providerOptions?: ProviderOptions }): UserMessage["content"] {
  if (part.type === "image" && !images) {
    return [{ type: "text", text: imageLine(part, "; you do not see it, this model takes no images"), ...marked }];
  }
  if (part.type === "image") return [{ type: "file", mediaType: part.mediaType, data: part.data, ...marked }];
  if (part.type !== "text" || part.text.trim() === "") return [];
  return [{ type: "text", text: part.text, ...marked }];
}

function resultPart(part: Extract<Part, { type: "result" }>, marked: { providerOptions?: ProviderOptions }) {
  const output = part.isError
    ? { type: "error-text" as const, value: part.text }
    : { type: "text" as const, value: part.text };
  return { type: "tool-result" as const, toolCallId: part.callId, toolName: part.tool, output, ...marked };
}

function joinUser(a: UserMessage, b: UserMessage): UserMessage {
  return joinTexts({ role: "user", content: [...a.content, ...b.content] }, true);
}

function joinTexts(message: UserMessage, join: boolean): UserMessage {
  if (!join || message.content.length < 2) return message;
  const content: UserMessage["content"] = [];
  for (const part of message.content) {
    const last = content.at(-1);
    if (part.type === "text" && last?.type === "text") {
      content[content.length - 1] = { type: "text", text: `${last.text}\n\n${part.text}` };
    } else content.push(part);
  }
  return { role: "user", content };
}
