// How much of a file is a stub: functions without a body, "not implemented", TODO and its kin, against what there is. Pure.
// Invariant: what is empty on purpose does not count: abstract methods, protocols, overloads, stub files, `except: pass`,
// classes that only have a name, callbacks that do nothing. It judges shape, so it is a score, never a refusal.

import { languageOf } from "./language.js";

export interface StubReason {
  /** 1-based. */
  line: number;
  what: string;
  /** Only a word like TODO, in code that may well be whole. */
  isWord?: true;
}

export interface StubScore {
  /** 0 = nothing found; 1 = at least as many stubs as functions (or, without functions, as twenty lines each). */
  score: number;
  reasons: StubReason[];
}

const word = /(?:\/\/|#|\*|--|;|%).*?\b(TODO|FIXME|HACK|XXX|STUB)\b/;
const thrown =
  /\b(?:throw new \w*(?:Error|Exception)\(\s*["'`](?:\w+ )?(?:is )?not (?:yet )?implemented|throw new NotImplemented\w*\(|panic\("not (?:yet )?implemented|todo!\(|unimplemented!\(|fatalError\("not (?:yet )?implemented)|^\s*(?:return )?TODO\("/i;
const definition =
  /^\s*(?:[\w@]+ )*(?:def|function|func|fun|fn)\b|^\s*(?:(?:export|const|let|async|public|private|static) )*[\w$]+ = (?:async )?(?:\([^)]*\)|\w+)(?:: [^=]+)? =>|^\s+(?:[a-z]+ )*[\w$]+\([^;]*\)(?:: [^{;]+)? \{$/;
const hint =
  /TODO|FIXME|HACK|XXX|STUB|not (?:yet )?implemented|NotImplemented|todo!\(|unimplemented!|\{\s*\}|\bpass\b|\.\.\./i;

export function stubScore(path: string, text: string): StubScore {
  const { syntax, nature } = languageOf(path);
  if (nature === "prose" || nature === "data" || path.endsWith(".pyi") || path.endsWith(".d.ts") || !hint.test(text)) {
    return { score: 0, reasons: [] };
  }
  // Minified and generated lines are nobody's stub, and slow to search.
  const lines = text.split("\n").map((line) => (line.length > 400 ? "" : line));
  const hollow: StubReason[] = [];
  if (/\.pyw?$/.test(path)) hollow.push(...hollowPython(lines));
  else {
    for (const [i, line] of lines.entries())
      if (thrown.test(line)) hollow.push({ line: i + 1, what: "not implemented" });
    if (syntax === "script" || /\.[jt]sx$/.test(path)) hollow.push(...emptyFunctions(lines.join("\n")));
  }
  const words = todoWords(lines);
  if (hollow.length + words.length === 0) return { score: 0, reasons: [] };
  const units = Math.max(1, lines.filter((line) => definition.test(line)).length, lines.length / 20);
  const score = Math.min(1, (hollow.length + words.length / 3) / units);
  return { score, reasons: [...hollow, ...words].sort((a, b) => a.line - b.line) };
}

function todoWords(lines: readonly string[]): StubReason[] {
  return lines.flatMap((line, i) => {
    const what = word.exec(line)?.[1];
    return what === undefined ? [] : [{ line: i + 1, what, isWord: true as const }];
  });
}

// --- JavaScript and TypeScript ---------------------------------------------------------------------------------------

const named =
  /^[ \t]*(?:(?:export|default|async|static|public|private|protected|override) )*(?:function\*? ?([\w$]+)|(?:const|let|var) ([\w$]+) = (?:async )?(?:function\*? ?)?|(?!(?:if|for|while|switch|catch|with|constructor|function)\b)([#\w$]+))[ \t]*\([^(){};]*\)(?:: [^{}=;]+)?[ \t]*(?:=>[ \t]*)?\{\s*\}/gm;

/** Named functions and methods; constructors are empty for their parameters, callbacks and noops because they should. */
function emptyFunctions(text: string): StubReason[] {
  const found: StubReason[] = [];
  let line = 1;
  let at = 0;
  for (const match of text.matchAll(named)) {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    if (/^_|noop|nothing|empty|ignore|dummy/i.test(name)) continue;
    for (let end = text.indexOf("\n", at); end >= 0 && end < match.index; end = text.indexOf("\n", at)) {
      line++;
      at = end + 1;
    }
    found.push({ line, what: `${name} is empty` });
  }
  return found;
}

// --- Python ----------------------------------------------------------------------------------------------------------

function hollowPython(lines: readonly string[]): StubReason[] {
  const found: StubReason[] = [];
  const abstract: { indent: number }[] = [];
  for (const [i, line] of lines.entries()) {
    const head = /^(\s*)(?:async )?(class|def) (\w+)/.exec(line);
    if (!head) continue;
    const indent = head[1]?.length ?? 0;
    while (abstract.length > 0 && (abstract.at(-1)?.indent ?? 0) >= indent) abstract.pop();
    if (head[2] === "class") {
      if (/\((?:.*\W)?(?:\w*Protocol|ABC|metaclass=\w*ABCMeta)\b/.test(line)) abstract.push({ indent });
      continue;
    }
    if (abstract.length > 0 || isDeclaration(lines, i)) continue;
    const body = onlyStatement(lines, i);
    if (/^(?:pass|\.\.\.|raise NotImplementedError\b.*)(?:\s*#.*)?$/.test(body ?? "")) {
      found.push({ line: i + 1, what: `${head[3]} is a stub` });
    }
  }
  return found;
}

/** Decorated as abstract or overload. */
function isDeclaration(lines: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && /^\s*@/.test(lines[i] ?? ""); i--) {
    if (/abstract|overload/.test(lines[i] ?? "")) return true;
  }
  return false;
}

/** Lines of a docstring that are looked at. */
const longestDoc = 200;

/** The statement that is the whole body of a `def`, docstring apart; null when there are several. */
function onlyStatement(lines: readonly string[], at: number): string | null {
  const header = /^(\s*)/.exec(lines[at] ?? "")?.[1]?.length ?? 0;
  let i = at;
  while (i < lines.length && !/:\s*(?:#.*)?$/.test(lines[i] ?? "")) {
    const inline = /\)(?:\s*->[^:]+)?:\s*(\S.*)$/.exec(lines[i] ?? "");
    if (inline) return inline[1] ?? null;
    if (i - at > 30) return null;
    i++;
  }
  const body: string[] = [];
  let quote = "";
  let within = 0;
  for (i++; i < lines.length && body.length < 2; i++) {
    const line = lines[i] ?? "";
    const trimmed = line.trim();
    if (quote !== "") {
      if (++within > longestDoc) return null;
      if (trimmed.endsWith(quote)) quote = "";
      continue;
    }
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    if (line.length - line.trimStart().length <= header) break;
    const doc = /^[rRuU]?("""|''')/.exec(trimmed)?.[1];
    if (doc === undefined) body.push(trimmed);
    else if (trimmed.indexOf(doc, trimmed.indexOf(doc) + 3) < 0) quote = doc;
  }
  return body.length === 1 ? (body[0] ?? null) : null;
}
