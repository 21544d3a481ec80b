// Content hashes. Everywhere in Cinch a content hash is sha256 in lower-case hex.

import { hash } from "node:crypto";

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data, "hex");
}
