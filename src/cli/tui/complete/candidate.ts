// What may complete the word at the cursor, and how well it fits. Pure.

export interface Candidate {
  /** Takes the place of the word. */
  insert: string;
  label: string;
  doc: string;
  /** The file it names, absolute. */
  file?: string;
}

/** A word that can be completed: `/mod` at the very start, `@src/x` anywhere. */
export interface Word {
  kind: "command" | "file";
  from: number;
  to: number;
  /** Without its sign. */
  text: string;
}

export function wordAt(text: string, cursor: number): Word | null {
  const before = text.slice(0, cursor);
  const command = /^\/([a-z-]*)$/.exec(before);
  if (command) return { kind: "command", from: 0, to: cursor, text: command[1] ?? "" };
  const file = /(?:^|\s)@((?:[^\s@"]|"[^"]*")*(?:"[^"]*)?)$/.exec(before);
  if (!file) return null;
  const typed = file[1] ?? "";
  return { kind: "file", from: cursor - typed.length - 1, to: cursor, text: typed.replaceAll('"', "") };
}

/**
 * How well a path fits what was typed; null = not at all. Every character has to come in order; runs, beginnings of words and
 * the file's own name count more, and of equals the shorter wins.
 */
export function score(path: string, query: string): number | null {
  if (query === "") return -path.length;
  const name = path.lastIndexOf("/", path.length - 2) + 1;
  const inName = path.indexOf(query, name);
  if (inName >= 0) return 1_000 - (inName - name) * 4 - path.length;
  let points = 0;
  let at = -1;
  let run = 0;
  for (let i = 0; i < query.length; i++) {
    const next = path.indexOf(query[i] as string, at + 1);
    if (next < 0) return null;
    run = next === at + 1 ? run + 1 : 0;
    const before = next === 0 ? "/" : path.charAt(next - 1);
    points += 1 + run * 3 + (/[/._-]/.test(before) ? 6 : 0) + (next >= name ? 2 : 0);
    at = next;
  }
  return points * 4 - path.length;
}
