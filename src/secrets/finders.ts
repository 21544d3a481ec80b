// What a secret looks like at one place of a text: a known value, or one of the shapes that vendors give their keys.
// Pure. Invariant: a finder looks at a bounded number of characters before it decides, so scanning takes linear time, and
// its answer does not depend on where the text was cut: short of text it asks for more instead of deciding.

/** `more`: what there is could be the beginning; otherwise the length of the find, 0 = none. */
export const more = -1;

export interface Finder {
  name: string;
  /** What it begins with: at least its first two characters. */
  prefix: string;
  /** Line breaks may stand between its characters. */
  breaks: boolean;
  /** `before`: code of the character before `at`, -1 at the beginning. `ended`: nothing follows the text. */
  find(text: string, at: number, before: number, ended: boolean): number;
  /** Characters that belong to it as long as they follow, by code. */
  rest?: Uint8Array;
}

/** A known value; wrapped lines are looked through, as base64 and long headers have them. */
export function exactly(name: string, form: string): Finder {
  const find: Finder["find"] = (text, start, _before, ended) => {
    let at = start;
    for (let i = 0; i < form.length; i++) {
      if (i > 0 && text.charCodeAt(at) !== form.charCodeAt(i)) {
        const width = breakAt(text, at, ended);
        if (width === more) return more;
        at += width;
      }
      if (at >= text.length) return ended ? 0 : more;
      if (text.charCodeAt(at) !== form.charCodeAt(i)) return 0;
      at++;
    }
    return at - start;
  };
  return { name, prefix: form, breaks: true, find };
}

const deepest = 64;

/** Length of one line break and the indentation behind it. */
function breakAt(text: string, at: number, ended: boolean): number {
  const width = lineEndAt(text, at, ended);
  if (width <= 0) return width;
  let end = at + width;
  while (end - at - width < deepest && (text.charCodeAt(end) === 0x20 || text.charCodeAt(end) === 0x09)) end++;
  return end >= text.length && !ended ? more : end - at;
}

/** Also as it is written inside a JSON string. */
function lineEndAt(text: string, at: number, ended: boolean): number {
  const code = text.charCodeAt(at);
  if (code === 0x0a) return 1;
  if (code !== 0x0d && code !== 0x5c) return 0;
  if (at + 1 >= text.length) return ended ? 0 : more;
  return text.charCodeAt(at + 1) === (code === 0x0d ? 0x0a : 0x6e) ? 2 : 0;
}

function characters(set: string): Uint8Array {
  const member = new RegExp(`[${set}]`);
  return Uint8Array.from({ length: 256 }, (_, code) => (member.test(String.fromCharCode(code)) ? 1 : 0));
}

const word = characters("A-Za-z0-9_");
const dashed = characters("A-Za-z0-9_-");
const letters = characters("A-Za-z0-9");
const capitals = characters("A-Z0-9");
const dotted = characters("A-Za-z0-9_.-");
const keyBody = characters("A-Za-z0-9+/= \\t\\r\\n\\\\");

/** How many characters of `set` follow, at most `max`. */
function run(text: string, from: number, set: Uint8Array, max: number): number {
  let count = 0;
  while (count < max && set[text.charCodeAt(from + count)] === 1) count++;
  return count;
}

/** Length of `literal` when it stands there. */
function starts(text: string, at: number, literal: string, ended: boolean): number {
  for (let i = 0; i < literal.length; i++) {
    if (at + i >= text.length) return ended ? 0 : more;
    if (text.charCodeAt(at + i) !== literal.charCodeAt(i)) return 0;
  }
  return literal.length;
}

/** A prefix that nothing else has, and at least `min` characters of a set. */
function token(name: string, prefix: string, set: Uint8Array, min: number): Finder {
  const find: Finder["find"] = (text, at, before, ended) => {
    if (word[before] === 1) return 0;
    const begun = starts(text, at, prefix, ended);
    if (begun <= 0) return begun;
    const count = run(text, at + begun, set, min);
    if (count === min) return begun + min;
    return !ended && at + begun + count >= text.length ? more : 0;
  };
  return { name, prefix, breaks: false, find, rest: set };
}

/** Two parts in base64 that both begin as JSON does; the signature is the rest. */
const webToken: Finder = {
  name: "json web token",
  prefix: "eyJ",
  breaks: false,
  rest: dotted,
  find(text, at, before, ended) {
    // Inside a run of such characters nothing begins, so each run is read once.
    if (dashed[before] === 1) return 0;
    const begun = starts(text, at, "eyJ", ended);
    if (begun <= 0) return begun;
    const head = at + begun + run(text, at + begun, dashed, 1024);
    if (!ended && head >= text.length) return more;
    if (head - at < 12) return 0;
    const next = starts(text, head, ".ey", ended);
    return next <= 0 ? next : head + next - at;
  },
};

/** The first line decides; its body may be wrapped, numbered or the inside of a JSON string, and its end may be missing. */
const privateKey: Finder = {
  name: "private key",
  prefix: "-----BEGIN ",
  breaks: false,
  rest: keyBody,
  find(text, at, _before, ended) {
    const begun = starts(text, at, "-----BEGIN ", ended);
    if (begun <= 0) return begun;
    const line = text.slice(at, at + 80);
    const [found] = /^-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----/.exec(line) ?? [];
    if (found !== undefined) return found.length;
    return !ended && line.length < 80 && /^-----BEGIN [A-Z0-9 ]*-{0,4}$/.test(line) ? more : 0;
  },
};

export const shapes: readonly Finder[] = [
  privateKey,
  webToken,
  token("anthropic key", "sk-ant-", dashed, 16),
  token("openai key", "sk-proj-", dashed, 16),
  token("openai key", "sk-svcacct-", dashed, 16),
  token("openrouter key", "sk-or-v1-", letters, 16),
  token("api key", "sk-", letters, 32),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) => token("github token", prefix, letters, 30)),
  token("github token", "github_pat_", word, 22),
  token("gitlab token", "glpat-", dashed, 20),
  token("npm token", "npm_", letters, 30),
  ...["AKIA", "ASIA"].map((prefix) => token("aws key id", prefix, capitals, 16)),
  token("google key", "AIza", dashed, 30),
  ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"].map((prefix) => token("slack token", prefix, dashed, 16)),
  ...["sk_live_", "rk_live_"].map((prefix) => token("stripe key", prefix, letters, 16)),
];
