// Takes the patches of withheld files out of what git printed. Pure.
// Invariant: a patch whose file can't be told is taken for one that is withheld.

/** Lines of a patch behind its first: what git says of the two files, and their lines. */
const inside =
  /^(?:[ +\-\\@]|index |mode |old mode |new mode |new file mode |deleted file mode |similarity index |dissimilarity index |rename |copy |Binary files |$)/;

/** `conceals`: takes a path from the top of the work tree. */
export function withholdPatches(printed: Buffer, conceals: (path: string) => boolean): Buffer {
  if (!printed.includes("diff --")) return printed;
  // Byte for byte, whatever they are.
  const lines = printed.toString("latin1").split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (!/^diff --(?:git|cc|combined) /.test(line)) {
      kept.push(line);
      at++;
      continue;
    }
    let end = at + 1;
    while (end < lines.length && inside.test(lines[end] ?? "")) end++;
    // The empty line before the next commit is none of the patch.
    while (end > at + 1 && lines[end - 1] === "") end--;
    const patch = lines.slice(at, end);
    const names = namesOf(patch);
    if (names?.every((name) => !conceals(name))) kept.push(...patch);
    else kept.push(line, "[withheld: reading this file needs an approval]");
    at = end;
  }
  return Buffer.from(kept.join("\n"), "latin1");
}

/** Both names; null when that cannot be told. */
function namesOf([first = "", ...rest]: readonly string[]): string[] | null {
  const combined = /^diff --(?:cc|combined) (.+)$/.exec(first)?.[1];
  if (combined !== undefined) return oneName(combined);
  const moved = rest.flatMap((line) => /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.[1] ?? []);
  if (moved.length > 0) {
    const names = moved.map(oneName);
    return names.length === 2 && !names.includes(null) ? names.flatMap((name) => name ?? []) : null;
  }
  const both = first.slice("diff --git ".length);
  // The same name twice.
  const half = (both.length - 1) / 2;
  const [a, b] = [both.slice(0, half), both.slice(half + 1)];
  const isQuoted = a.startsWith('"');
  const from = isQuoted ? 3 : 2;
  if (a.slice(from) !== b.slice(from) || both.charAt(half) !== " ") return null;
  return oneName(isQuoted ? `"${a.slice(3)}` : a.slice(2));
}

function oneName(text: string): string[] | null {
  if (!text.startsWith('"')) return [Buffer.from(text, "latin1").toString("utf8")];
  const inner = /^"((?:[^"\\]|\\.)*)"$/.exec(text)?.[1];
  if (inner === undefined) return null;
  const plain = inner.replace(/\\([0-7]{3}|.)/g, (_, sign: string) =>
    sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : (escapes[sign] ?? sign),
  );
  return [Buffer.from(plain, "latin1").toString("utf8")];
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };
