// What a provider would refuse in the messages of a request, for each protocol: a call without its result, a result without its
// call, one in the wrong place, a message without content, roles that do not alternate where they have to.

interface Turn {
  role: "user" | "assistant";
  calls: string[];
  results: string[];
  /** Something stands before a result in its message. */
  late: boolean;
  blank: boolean;
}

type Item = Record<string, unknown>;
type Read = (body: Item) => Turn[];

interface Kinds {
  call(part: Item): string | undefined;
  result(part: Item): string | undefined;
  text(part: Item): string | undefined;
}

const list = (value: unknown): Item[] => (Array.isArray(value) ? (value as Item[]) : []);
const idIn = (part: Item, key: string, id: string) => (part[key] as Item | undefined)?.[id] as string | undefined;

function turnOf(role: Turn["role"], parts: readonly Item[], { call, result, text }: Kinds): Turn {
  const results = parts.map((part) => result(part) !== undefined);
  return {
    role,
    calls: parts.flatMap((part) => call(part) ?? []),
    results: parts.flatMap((part) => result(part) ?? []),
    late: results.lastIndexOf(true) > results.indexOf(false) && results.includes(false),
    blank: parts.length === 0 || parts.some((part) => text(part)?.trim() === ""),
  };
}

/** Adjacent turns of one role as one, for the protocols that have an item a call. */
function joined(turns: readonly Turn[]): Turn[] {
  const out: Turn[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    if (last?.role !== turn.role) out.push({ ...turn });
    else {
      last.late ||= turn.late || (turn.results.length > 0 && last.results.length === 0);
      last.calls = [...last.calls, ...turn.calls];
      last.results = [...last.results, ...turn.results];
      last.blank ||= turn.blank;
    }
  }
  return out;
}

const anthropic: Kinds = {
  call: (part) => (part["type"] === "tool_use" ? (part["id"] as string) : undefined),
  result: (part) => (part["type"] === "tool_result" ? (part["tool_use_id"] as string) : undefined),
  text: (part) => part["text"] as string | undefined,
};
const google: Kinds = {
  call: (part) => idIn(part, "functionCall", "id"),
  result: (part) => idIn(part, "functionResponse", "id"),
  text: (part) => part["text"] as string | undefined,
};
const bedrock: Kinds = {
  call: (part) => idIn(part, "toolUse", "toolUseId"),
  result: (part) => idIn(part, "toolResult", "toolUseId"),
  text: (part) => part["text"] as string | undefined,
};
const single: Kinds = {
  call: (part) => part["call"] as string | undefined,
  result: (part) => part["result"] as string | undefined,
  text: (part) => part["text"] as string | undefined,
};

/** `name` is that of protocols.ts. */
const readers: Record<string, Read> = {
  anthropic: (body) =>
    list(body["messages"]).map((item) => turnOf(item["role"] as Turn["role"], list(item["content"]), anthropic)),
  bedrock: (body) =>
    list(body["messages"]).map((item) => {
      const parts = list(item["content"]).filter((part) => !("cachePoint" in part));
      return turnOf(item["role"] as Turn["role"], parts, bedrock);
    }),
  google: (body) =>
    list(body["contents"]).map((item) =>
      turnOf(item["role"] === "model" ? "assistant" : "user", list(item["parts"]), google),
    ),
  chat: (body) =>
    joined(
      list(body["messages"]).flatMap((item) => {
        if (item["role"] === "system") return [];
        if (item["role"] === "tool") return turnOf("user", [{ result: item["tool_call_id"] }], single);
        const calls = list(item["tool_calls"]).map((call) => ({ call: call["id"] }));
        const said = calls.length > 0 && !item["content"] ? [] : [{ text: textOf(item["content"]) }];
        return turnOf(item["role"] as Turn["role"], [...said, ...calls], single);
      }),
    ),
  responses: (body) =>
    joined(
      list(body["input"]).flatMap((item) => {
        if (item["role"] === "developer" || item["type"] === "reasoning") return [];
        if (item["type"] === "function_call") return turnOf("assistant", [{ call: item["call_id"] }], single);
        if (item["type"] === "function_call_output") return turnOf("user", [{ result: item["call_id"] }], single);
        return turnOf(item["role"] as Turn["role"], [{ text: textOf(item["content"]) }], single);
      }),
    ),
};

function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : list(content)
        .map((part) => part["text"])
        .join("");
}

/** Why a provider would not take this body; nothing when it would. */
export function requestFaults(protocol: string, text: string): string[] {
  const turns = readers[protocol]?.(JSON.parse(text) as Item) ?? [];
  const faults: string[] = [];
  if (turns.length === 0) faults.push("no messages");
  if (turns.at(0)?.role !== "user") faults.push("does not begin with the user");
  if (turns.at(-1)?.role !== "user") faults.push("does not end with the user");
  let open: readonly string[] = [];
  const known = new Set<string>();
  for (const [i, turn] of turns.entries()) {
    const at = `message ${i}`;
    if (turn.blank) faults.push(`${at} is empty, or has a blank text`);
    // Gemini does not mind two messages of the user in a row.
    if (i > 0 && turns[i - 1]?.role === turn.role && protocol !== "google")
      faults.push(`${at} has the role of the one before`);
    if (turn.late) faults.push(`${at} has something before a result`);
    if ([...open].sort().join() !== [...turn.results].sort().join()) {
      faults.push(`${at} answers [${turn.results}] where [${open}] was called`);
    }
    for (const call of turn.calls) if (known.has(call)) faults.push(`${at} calls ${call} again`);
    for (const call of turn.calls) known.add(call);
    open = turn.calls;
  }
  if (open.length > 0) faults.push(`[${open}] is never answered`);
  return faults;
}
