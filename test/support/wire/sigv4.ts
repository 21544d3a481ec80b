// AWS Signature Version 4 from the side that checks it, written from AWS's description and not from a client.
// Invariant: a request passes only when its signature covers method, path, host, date, body and every x-amz header it has.
// Not here: presigned URLs, chunked uploads, how old a signature may be.

import { createHash, createHmac } from "node:crypto";
import type { WireRequest } from "./server.js";

export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  region: string;
}

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Why the service would refuse this request, or undefined when it is signed with these credentials. */
export function signatureFault(request: WireRequest, credentials: Credentials): string | undefined {
  const { authorization = "(none)", ...headers } = request.headers;
  const [, keyId, day, region, list = "", signature] = form.exec(authorization) ?? [];
  if (signature === undefined) return `authorization is ${authorization}`;
  if (keyId !== credentials.accessKeyId || region !== credentials.region) return `signed as ${keyId} for ${region}`;
  const date = String(headers["x-amz-date"]);
  if (!/^\d{8}T\d{6}Z$/.test(date) || !date.startsWith(day ?? "?")) return `x-amz-date is ${date}`;
  if (headers["x-amz-security-token"] !== credentials.sessionToken) return "x-amz-security-token is not the session's";
  const signed = list.split(";");
  const missing = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))].filter(
    (name) => !signed.includes(name),
  );
  if (missing.length > 0) return `not signed: ${missing.join(", ")}`;
  const [path = "", query = ""] = request.path.split("?");
  const canonical = [
    request.method,
    path.split("/").map(encoded).join("/"),
    query,
    ...signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}`),
    "",
    list,
    sha256(request.body),
  ].join("\n");
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const steps = [day ?? "", region ?? "", "bedrock", "aws4_request"];
  const key = steps.reduce<string | Buffer>((last, step) => hmac(last, step), `AWS4${credentials.secretAccessKey}`);
  const expected = hmac(key, text).toString("hex");
  return signature === expected ? undefined : `the signature of\n${canonical}\nis ${expected}, not ${signature}`;
}

/** The path arrives encoded, and every service but S3 signs it encoded once more. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
