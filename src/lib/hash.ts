// Content hashes. Everywhere in Cinch a content hash is sha256 in lower-case hex.

import { createHash } from "node:crypto";

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
