// The five protocols that Cinch speaks: a model of each, its loopback server, and the environment that points there.

import { startAnthropic } from "./anthropic.js";
import { startBedrock } from "./bedrock.js";
import { startChat } from "./chat.js";
import { startGoogle } from "./google.js";
import { startResponses } from "./responses.js";
import type { WireScript, WireServer } from "./server.js";

export const secret = "key-1234567890-secret";

export interface Protocol {
  name: string;
  id: string;
  start(script: WireScript): Promise<WireServer>;
  env(server: WireServer): Record<string, string>;
  /** The protocol sends calls in one piece: its arguments cannot be cut or malformed. */
  wholeCalls?: true;
  /** It sends signatures with thinking. */
  signs?: true;
}

export const protocols: readonly Protocol[] = [
  {
    name: "anthropic",
    id: "anthropic/claude-sonnet-4-5",
    start: startAnthropic,
    env: ({ url }) => ({ ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: url }),
    signs: true,
  },
  {
    name: "chat",
    id: "openai-compatible/test",
    start: (script) => startChat(script),
    env: ({ url }) => ({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: `${url}/v1` }),
  },
  {
    name: "responses",
    id: "openai/gpt-5.2",
    start: startResponses,
    env: ({ url }) => ({ OPENAI_API_KEY: secret, OPENAI_BASE_URL: url }),
    signs: true,
  },
  {
    name: "google",
    id: "google/gemini-2.5-flash",
    start: startGoogle,
    env: ({ url }) => ({ GEMINI_API_KEY: secret, GOOGLE_GEMINI_BASE_URL: url }),
    wholeCalls: true,
  },
  {
    name: "bedrock",
    id: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    start: startBedrock,
    env: ({ url }) => ({ AWS_BEARER_TOKEN_BEDROCK: secret, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
    signs: true,
  },
];
