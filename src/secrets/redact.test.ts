// The redactor alone: forms of a value, shapes, and that pieces give what the whole gives. Through the public face it is
// held by test/cli/canary.test.ts.

import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownSecrets } from "./known.js";

const canary = 'cAn4ry/+ü~7:Qz"x';
const plain = "CANARY0a1b2c3d4e5f";

function knowing(...values: string[]): KnownSecrets {
  const known = new KnownSecrets();
  for (const [i, value] of values.entries()) known.learn(`S${i}`, value);
  return known;
}

function inPieces(known: KnownSecrets, text: string, sizes: readonly number[]): string {
  const bytes = Buffer.from(text, "utf8");
  const filter = known.bytes(true);
  const out: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    out.push(filter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return Buffer.concat([...out, filter.end()]).toString("utf8");
}

test("a value is found as it is, percent-encoded, in JSON and in base64 wherever it begins (SECURITY 128)", () => {
  const known = knowing(canary);
  const base64 = (before: string) => Buffer.from(`${before}${canary} and more`).toString("base64");
  for (const text of [
    canary,
    encodeURIComponent(canary),
    JSON.stringify(canary),
    base64(""),
    base64("a"),
    base64("ab"),
  ]) {
    const out = known.values(`<${text}>`);
    expect(out).toContain("[redacted:S0]");
    for (const form of [canary, encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1)])
      expect(out).not.toContain(form);
  }
});

test("a value is found across wrapped lines, also inside a JSON string", () => {
  const known = knowing(plain);
  const wrapped = Buffer.from(`some text before ${plain} and behind`).toString("base64").replace(/.{19}/g, "$&\r\n");
  expect(known.values(wrapped)).toContain("[redacted:S0]");
  expect(known.values(`${plain.slice(0, 5)}\n${plain.slice(5)}`)).toBe("[redacted:S0]");
  expect(known.values(JSON.stringify(`${plain.slice(0, 5)}\n${plain.slice(5)}`))).toBe('"[redacted:S0]"');
});

test.each([
  ["anthropic key", "sk-ant-api03-abcdefghijklmnopqrst"],
  ["api key", `sk-${"a1B2".repeat(10)}`],
  ["github token", `ghp_${"a1B2".repeat(9)}`],
  ["aws key id", "AKIAABCDEFGHIJKLMNOP"],
  ["json web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"],
  ["slack token", "xoxb-1234567890-abcdefghij"],
])("the shape of a %s is found in what comes from elsewhere, and left in what somebody wrote", (name, secret) => {
  const known = knowing();
  expect(known.all(`k=${secret};`)).toBe(`k=[redacted:${name}];`);
  expect(known.values(secret)).toBe(secret);
});

test("a private key is found whole, numbered, inside JSON, and without its end", () => {
  const known = knowing();
  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n";
  const key = `-----BEGIN PRIVATE KEY-----\n${body}-----END PRIVATE KEY-----`;
  for (const text of [key, JSON.stringify(key), key.replaceAll("\n", "\n   12\t"), key.slice(0, 60)]) {
    const out = known.all(text);
    expect(out).toContain("[redacted:private key]");
    expect(out).not.toContain("MIIE");
  }
});

test("what only looks a little like a secret stays", () => {
  const known = knowing();
  const text = "task-ant-colony sk-estimator-doc-link AKIA eyJ -----BEGIN CERTIFICATE----- ghp_short npm_config_cache";
  expect(known.all(text)).toBe(text);
});

test("switches, numbers, paths and addresses in variables with such names are no secrets", () => {
  const known = new KnownSecrets();
  const env = {
    SECRET_MODE: "disabled",
    TOKEN_LIMIT: "100000000",
    CREDENTIALS_FILE: "/home/u/credentials.json",
    TOKEN_URL: "https://auth.example.com/token",
    DB_PASSWORD: "/starts-like-a-path",
    MY_TOKEN: "t0ken-t0ken",
    SHORT_KEY: "abc1234",
    HOME: "/home/user-1",
  };
  known.learnEnvironment(env, { exists: (path) => path.startsWith("/home/u/") });
  const out = known.values(Object.values(env).join("\n"));
  expect(out.split("\n")).toEqual([
    ...Object.values(env).slice(0, 4),
    "[redacted:DB_PASSWORD]",
    "[redacted:MY_TOKEN]",
    "abc1234",
    "/home/user-1",
  ]);
});

test("text without a secret is the very same string, and marks are not touched again", () => {
  const known = knowing(plain);
  const once = known.all(`a ${plain} b`);
  expect(known.all(once)).toBe(once);
  expect(known.all("nothing here")).toBe("nothing here");
});

const ground = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        plain,
        canary,
        encodeURIComponent(canary),
        Buffer.from(`x${plain}yz`).toString("base64"),
        "sk-ant-api03-abcdefghijklmnopqrst",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2ln",
        plain.slice(0, 7),
        "sk-ant-",
        "-----BEGIN ",
        "\n",
        "\\n",
        "ü",
      ),
      fc.string({ maxLength: 12 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("property 7: the pieces give what the whole gives", () => {
  fc.assert(
    fc.property(ground, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }), (text, sizes) => {
      const known = knowing(plain, canary);
      expect(inPieces(known, text, sizes)).toBe(known.all(text));
    }),
    { numRuns: 2000 },
  );
});

test("property 8: no canary is left by any split, of bytes or of text", () => {
  const around = fc.string({ maxLength: 20 });
  fc.assert(
    fc.property(around, around, fc.constantFrom(plain, canary), fc.nat(), fc.nat(), (before, behind, secret, a, b) => {
      const known = knowing(plain, canary);
      const text = `${before}${secret}${behind}`;
      const [from, to] = [a % (text.length + 1), b % (text.length + 1)].sort((x, y) => x - y);
      const filter = known.pieces();
      const out =
        filter.push(text.slice(0, from)) + filter.push(text.slice(from, to)) + filter.push(text.slice(to ?? 0));
      expect(out + filter.end()).not.toContain(secret);
      expect(inPieces(known, text, [(a % 7) + 1, (b % 5) + 1])).not.toContain(secret);
    }),
    { numRuns: 2000 },
  );
});
