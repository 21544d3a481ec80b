import { expect, test } from "vitest";
import { exactly, type Finder } from "./finders.js";
import { formsOf } from "./forms.js";
import { KnownSecrets } from "./known.js";
import { FinderIndex, scanned } from "./scanner.js";
import { withheldTexts } from "./withheld-texts.js";

const secret = (text: string, ...templates: string[]) => withheldTexts({ text, isSecret: true, templates }, 100);

test("of a file with keys: values and whole lines, also of what is commented out, and what a URL holds", () => {
  expect(secret("API_KEY=abcDEF123\nPIN=4711xy\n# OLD='former value'\nURL=postgres://me:pass-word-1@host/db")).toEqual([
    ...["API_KEY=abcDEF123", "abcDEF123", "PIN=4711xy", "OLD='former value'", "former value"],
    ...["URL=postgres://me:pass-word-1@host/db", "postgres://me:pass-word-1@host/db", "pass-word-1"],
  ]);
});

test("each line of a key in base64, also where it stands in one JSON string", () => {
  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
  expect(secret(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`)).toEqual([body]);
  expect(secret(`  "private_key": "-----BEGIN PRIVATE KEY-----\\n${body}\\n",`)).toContain(body);
});

test("nothing that says nothing: words, switches, small numbers, places, and what a template has too", () => {
  const text =
    "NODE_ENV=production\nDEBUG=true\nPORT=3000\nHOST=127.0.0.1:8080\nAPI=https://api.example.com/v1\nLOG=/var/log/app.log\nREGION=eu-central-1\nA=change-me-please\n";
  expect(secret(text, "A=change-me-please\n")).toEqual([]);
});

test("of a file that a rule withholds: long lines alone", () => {
  const text = "short\n----------------------------\n  a line that is long enough\n";
  expect(withheldTexts({ text, isSecret: false }, 100)).toEqual(["a line that is long enough"]);
  expect(withheldTexts({ text: "a\0b", isSecret: false }, 100)).toEqual([]);
});

test("in JSON of several writers, in a URL, and in base64 that is wrapped and indented", () => {
  const known = new KnownSecrets();
  const value = 'p/q&r<s>"t" ü-value';
  const owner = {};
  known.withhold(owner, new Map([[value, ".env"]]));
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(`KEY=${value}`).toString("base64");
  const written = [
    ...[json, json.replaceAll("/", "\\/"), json.replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)],
    ...[json.replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll("/", "\\/")],
    ...[encodeURIComponent(value), base64.replace(/(.{6})/g, "$1\n      "), base64.replace(/(.{6})/g, "$1\r\n\t")],
  ];
  for (const text of written) expect(known.values(`x ${text} y`), text).toContain("[redacted:.env]");
  known.withhold(owner, new Map());
  expect(known.values(value)).toBe(value);
});

test("an inventory of 200 lines makes a scan look hardly more often", () => {
  let looks = 0;
  const counted = (finder: Finder): Finder => ({
    ...finder,
    find: (...asked) => {
      looks++;
      return finder.find(...asked);
    },
  });
  const lines = Array.from(
    { length: 200 },
    (_, i) => `SETTING_${i}=${Buffer.from(`value ${i * 7919}`).toString("hex")}`,
  );
  const finders = lines.flatMap((line) => [line, line.split("=")[1] as string].flatMap(formsOf));
  const index = new FinderIndex(finders.map((form) => counted(exactly("x", form))));
  const text = "src/a.ts:12: export function of(value: string): number { return value.length; }\n".repeat(1_000);
  expect(scanned(index, text)).toBe(text);
  expect(looks).toBeLessThan(text.length);
});
