// Time and identity as ports, so that tests can fix both and transcripts become byte-stable.

/** Milliseconds, 24.8 days: a longer timer of node fires at once. */
export const longestTimer = 2 ** 31 - 1;

export interface Clock {
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds; use for durations. */
  mono(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A fresh id of 12 characters of lower-case Crockford base32. */
  next(): string;
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** 12 base32 characters from 8 random bytes (60 of their bits are used). */
export function idFromBytes(bytes: Uint8Array): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  let id = "";
  for (let i = 0; i < 12; i++) {
    id = alphabet.charAt(Number(bits & 31n)) + id;
    bits >>= 5n;
  }
  return id;
}
