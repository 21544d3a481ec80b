// What of a withheld file is recognised elsewhere: its lines and values, without those that say nothing. Pure.
// Invariants: no text is shorter than 8 characters, none longer than 1,024; a value that a template has as well, a word, a
// switch, a small number, an address without a password or a plain path is no secret of this file.

const shortest = 8;
const shortestLine = 16;
const longest = 1024;

export interface WithheldText {
  text: string;
  /** It holds keys and passwords by its name; otherwise a rule withholds it, and its lines are what counts. */
  isSecret: boolean;
  /** Texts of templates beside it. */
  templates?: readonly string[];
}

/** At most `most`. */
export function withheldTexts({ text, isSecret, templates = [] }: WithheldText, most: number): string[] {
  if (text.includes("\0")) return [];
  const known = new Set(templates.flatMap((each) => textsIn(each, isSecret)));
  const found = new Set<string>();
  for (const each of textsIn(text, isSecret)) {
    if (found.size >= most) break;
    if (!known.has(each)) found.add(each);
  }
  return [...found];
}

function textsIn(text: string, isSecret: boolean): string[] {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  return lines.flatMap(isSecret ? ofSecret : ofRule).flatMap(pieces);
}

/** Lines of a file that a rule withholds: anything may be a line, so only long ones are told from others. */
function ofRule(line: string): string[] {
  return line.length >= shortestLine && /(?:[\p{L}\p{N}][^\p{L}\p{N}]*){8}/u.test(line.slice(0, 200)) ? [line] : [];
}

function ofSecret(line: string): string[] {
  const plain = line.replace(/^(?:#+|\/\/|;)\s*/, "");
  const [, value] = /^(?:export\s+)?["']?[\w.-]{1,80}["']?\s{0,8}[:=](.*)$/s.exec(plain) ?? [];
  if (value === undefined) {
    const isComment = plain !== line || plain.startsWith("-----");
    const isBody = plain.length >= (/\s/.test(plain) ? 24 : shortestLine);
    return isBody && !isComment ? [plain] : [];
  }
  const said = unquoted(value.trim());
  if (isTrivial(said)) return [];
  const [, password = ""] = /^[\w+.-]{1,40}:\/\/[^\s:@/]*:([^\s@]+)@/.exec(said) ?? [];
  const parts = said.includes("\\n") ? said.split("\\n").filter((part) => !part.startsWith("-----")) : [said];
  return [plain, said, password, ...parts.filter((part) => part.length >= shortestLine || part === said)].filter(
    (each) => each.length >= shortest && !isTrivial(each),
  );
}

function unquoted(value: string): string {
  const [, inside] = /^"(.*)"[,;]?$|^'(.*)'[,;]?$/s.exec(value)?.filter((each) => each !== undefined) ?? [];
  return inside ?? value.replace(/[,;]$/, "");
}

const trivial: readonly RegExp[] = [
  /^(?:[a-z]{0,15}|[A-Z]{0,15}|[0-9]{0,5}|[[{(]+)$/,
  /^(?:https?|wss?):\/\/[^\s@?]*$/,
  /^(?:localhost|[0-9.]{7,15})(?::[0-9]{1,5})?$/,
  /^[a-z]{2}-[a-z]{4,12}-[0-9]$/,
  /^(?:\.{1,2}|~)?\/[a-z0-9_./-]*$/,
];

function isTrivial(value: string): boolean {
  return trivial.some((shape) => shape.test(value));
}

function pieces(text: string): string[] {
  if (text.length <= longest) return [text];
  return Array.from({ length: Math.ceil(text.length / longest) }, (_, i) =>
    text.slice(i * longest, (i + 1) * longest),
  ).filter((each) => each.length >= shortest);
}
