// Every way to get into a provider: a protocol, the variables a user sets, and the gate of the real service, which answers
// 401 to whatever does not carry the right credentials.

import { onTestFinished } from "vitest";
import { type Protocol, protocols, secret } from "./protocols.js";
import type { WireReply, WireRequest, WireServer } from "./server.js";
import { type Credentials, signatureFault } from "./sigv4.js";

export interface Access {
  name: string;
  protocol: Protocol;
  env(server: WireServer): Record<string, string>;
  /** Why the service refuses the request; undefined lets it in. */
  refuses(request: WireRequest): string | undefined;
  /** What must never be written or shown. */
  secrets: readonly string[];
}

const aws = { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
const sessionToken = "IQoJb3JpZ2luX2VjEXAMPLE//////////wEaCXVzLWVhc3QtMSJHMEUCIQ==";

const carried: Record<string, (request: WireRequest) => unknown> = {
  anthropic: ({ headers }) => headers["x-api-key"] === secret && headers["anthropic-version"] === "2023-06-01",
  chat: ({ headers }) => headers.authorization === `Bearer ${secret}`,
  responses: ({ headers }) => headers.authorization === `Bearer ${secret}`,
  google: ({ headers, path }) => headers["x-goog-api-key"] === secret && !path.includes(secret),
  bedrock: ({ headers }) => headers.authorization === `Bearer ${secret}` && headers["x-amz-date"] === undefined,
};

const withKey = protocols.map((protocol): Access => {
  const { name } = protocol;
  const refuses = (request: WireRequest) => (carried[name]?.(request) ? undefined : JSON.stringify(request.headers));
  return { name: `${name} with a key`, protocol, env: protocol.env, refuses, secrets: [secret] };
});

const withoutKey: Access = {
  name: "chat without a key",
  protocol: named("chat"),
  env: ({ url }) => ({ OPENAI_BASE_URL: `${url}/v1` }),
  refuses: ({ headers }) => headers.authorization,
  secrets: [],
};

export const accesses: readonly Access[] = [
  ...withKey,
  withoutKey,
  signed("bedrock with AWS keys", {}, { ...aws, region: "us-east-1" }),
  signed("bedrock with AWS keys and an empty region", { AWS_REGION: "" }, { ...aws, region: "us-east-1" }),
  signed(
    "bedrock with AWS keys and AWS_DEFAULT_REGION",
    { AWS_DEFAULT_REGION: "ap-south-1" },
    { ...aws, region: "ap-south-1" },
  ),
  signed(
    "bedrock with a session token and a region",
    { AWS_REGION: "eu-central-1", AWS_DEFAULT_REGION: "us-west-2", AWS_SESSION_TOKEN: sessionToken },
    { ...aws, region: "eu-central-1", sessionToken },
  ),
  signed("bedrock with an empty session token", { AWS_SESSION_TOKEN: "" }, { ...aws, region: "us-east-1" }),
];

function signed(name: string, more: Record<string, string>, credentials: Credentials): Access {
  const keys = { AWS_ACCESS_KEY_ID: aws.accessKeyId, AWS_SECRET_ACCESS_KEY: aws.secretAccessKey };
  return {
    name,
    protocol: named("bedrock"),
    env: ({ url }) => ({ ...keys, ...more, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url }),
    refuses: (request) => signatureFault(request, credentials),
    secrets: [aws.secretAccessKey, ...(credentials.sessionToken ? [credentials.sessionToken] : [])],
  };
}

function named(name: string): Protocol {
  const found = protocols.find((one) => one.name === name);
  if (!found) throw new Error(`no protocol ${name}`);
  return found;
}

/** A server with that gate. `refusals` has what it said, in order. */
export async function guarded(access: Access, script: readonly WireReply[]) {
  const refusals: string[] = [];
  const server = await access.protocol.start((request, index) => {
    const why = access.refuses(request);
    if (why === undefined) return script[index] ?? { text: "done" };
    refusals.push(why);
    return { status: 401, error: { type: "authentication_error", message: "no valid credentials" } };
  });
  onTestFinished(() => server.close());
  return { server, refusals };
}
