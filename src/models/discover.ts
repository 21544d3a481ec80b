// Looks for a local OpenAI-compatible server (SPEC 1.22). Asked only when no key exists.
// Invariant: only the loopback interface is asked, only for its model list, each server for at most 150 ms, all at once.

import { isObject, parseJson } from "../lib/json.js";
import { type Fetch, httpFetch } from "./http.js";

export interface LocalServer {
  name: string;
  port: number;
}

export interface LocalModel {
  /** Exactly what `-m` takes. */
  id: string;
  server: string;
  /** With `/v1`. */
  baseUrl: string;
  /** The server's own name for it. */
  model: string;
}

export interface DiscoverOptions {
  servers?: readonly LocalServer[];
  /** Milliseconds each server has to answer. */
  timeout?: number;
  fetch?: Fetch;
}

export const localServers: readonly LocalServer[] = [
  { name: "Ollama", port: 11_434 },
  { name: "LM Studio", port: 1_234 },
  { name: "llama.cpp", port: 8_080 },
  { name: "vLLM", port: 8_000 },
];

/** Every model of every local server that answers, in the order of `servers`. Never throws; silence means none. */
export async function discoverLocal(options: DiscoverOptions = {}): Promise<LocalModel[]> {
  const { servers = localServers, timeout = 150, fetch = httpFetch } = options;
  const lists = await Promise.all(servers.map((server) => modelsOf(server, timeout, fetch)));
  return lists.flat();
}

async function modelsOf(server: LocalServer, timeout: number, fetch: Fetch): Promise<LocalModel[]> {
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeout);
  try {
    const response = await fetch(`${baseUrl}/models`, { method: "GET", signal: controller.signal });
    if (!response.ok) return [];
    const list = parseJson(await response.text());
    const data = isObject(list) && Array.isArray(list["data"]) ? list["data"] : [];
    return data.flatMap((row) => {
      const model = isObject(row) ? row["id"] : undefined;
      if (typeof model !== "string" || model === "") return [];
      return [{ id: `openai-compatible/${model}`, server: server.name, baseUrl, model }];
    });
  } catch {
    // Nobody listens, or not in time, or it speaks something else: all mean that there is no such server here.
    return [];
  } finally {
    clearTimeout(timer);
  }
}
