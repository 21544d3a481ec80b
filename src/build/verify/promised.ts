// Whether a file gives the names that a plan promises of it: by its syntax where that tells, else as words outside of comments.
// Invariant: a name that is only talked about in a comment is not given; where a file says itself what it gives, a name that
// it keeps to itself is not either.

import { pythonFace } from "./python-face.js";
import { isScript, scriptFace } from "./script-face.js";

/** Those of the names that are not given. */
export async function unkept(file: string, text: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const gives = await giverOf(file, text);
  return names.filter((name) => !gives(name));
}

async function giverOf(file: string, text: string): Promise<(name: string) => boolean> {
  const words = withoutComments(file, text);
  const hasWords = (name: string) => name.split(".").every((part) => hasWord(words, part));
  if (isScript(file)) {
    const { gives = null, passes = [], members = new Set<string>() } = (await scriptFace(file, text)) ?? {};
    // What hands on the names of others gives what these give, and that is looked at with the whole.
    if (passes.length > 0) return () => true;
    // What exports nothing but a default, or nothing at all, may be there for a page.
    const says = gives && [...gives].some((name) => name !== "default");
    if (says) return (name) => gives.has(name) || (isWord(name) ? members.has(name) : hasWords(name));
    return (name) => (gives ? gives.has(name) : name === "default") || hasWords(name);
  }
  if (/\.pyi?$/.test(file)) {
    const { gives = null, passes = [] } = (await pythonFace(text)) ?? {};
    if (passes.length > 0) return () => true;
    const isDefined = (name: string) => new RegExp(`^\\s*(?:async\\s+)?(?:def|class)\\s+${name}\\b`, "m").test(text);
    return (name) => (gives && /^\w+$/.test(name) ? gives.has(name) || isDefined(name) : hasWords(name));
  }
  return hasWords;
}

function isWord(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

const markup = /<!--[\s\S]*?-->/g;
const slashes = /\/\*[\s\S]*?\*\/|^[ \t]*\/\/.*$/gm;
const hashes = /^[ \t]*#.*$/gm;

/** Whole lines and blocks: what stands behind code might be a part of it. */
function withoutComments(file: string, text: string): string {
  if (/\.(?:html?|xml|svg|md)$/.test(file)) return text.replace(markup, "");
  if (/\.(?:vue|svelte)$/.test(file)) return text.replace(markup, "").replace(slashes, "");
  if (/\.(?:pyi?|rb|sh|bash|ya?ml|toml|r|exs?)$/.test(file)) return text.replace(hashes, "");
  return text.replace(slashes, "");
}

function hasWord(text: string, name: string): boolean {
  const plain = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w$-])${plain}(?![\\w$-])`).test(text);
}
