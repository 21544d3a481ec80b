// Globs over relative paths, as search tools mean them. Pure.
//   *  any characters but "/"     **  any directories     ?  one character     [ab] [!ab]  a set     {a,b}  alternatives
// A pattern without "/" is matched against the last name, at any depth; with one, against the whole path.
// Invariant: work is at most (pattern × path), whatever the pattern; one that is too long is refused.

import { Automaton, type CharTest, longestPattern, readSet } from "./automaton.js";

export interface GlobMatcher {
  (path: string): boolean;
  /** Moves made so far, over all paths. */
  steps(): number;
}

/** A test for paths that use "/" and do not begin with it. Throws for a pattern that is too long. */
export function globMatcher(glob: string): GlobMatcher {
  const pattern = withoutLead(glob);
  if (pattern.length > longestPattern) throw new Error(`a glob may have ${longestPattern} characters`);
  const automaton = new Automaton();
  const end = translate([...pattern], automaton);
  const whole = pattern.includes("/");
  const matches = (path: string) => automaton.accepts(whole ? path : path.slice(path.lastIndexOf("/") + 1), end);
  return Object.assign(matches, { steps: () => automaton.steps });
}

/** Without `/` and `./` in front: both mean the place that is searched. */
export function withoutLead(glob: string): string {
  let from = glob.startsWith("./") ? 1 : 0;
  while (glob[from] === "/") from++;
  return glob.slice(from);
}

const anything: CharTest = () => true;
export const inName: CharTest = (char) => char !== "/";

/** Returns the end state. */
function translate(glob: readonly string[], automaton: Automaton): number {
  const closed = closedBraces(glob);
  const open: { start: number; end: number }[] = [];
  let at = automaton.start;
  for (let i = 0; i < glob.length; ) {
    const char = glob[i] ?? "";
    const set = char === "[" ? readSet(glob, i) : null;
    const group = open.at(-1);
    if (char === "*") [at, i] = stars(glob, i, at, automaton);
    else if (set) {
      at = automaton.take(at, set.test);
      i = set.end;
    } else if (char === "{" && closed.has(i)) {
      open.push({ start: at, end: automaton.state() });
      i++;
    } else if (group && (char === "," || char === "}")) {
      automaton.skip(at, group.end);
      if (char === "}") open.pop();
      at = char === "}" ? group.end : automaton.state();
      if (char === ",") automaton.skip(group.start, at);
      i++;
    } else {
      const escaped = char === "\\" && i + 1 < glob.length;
      const literal = glob[escaped ? i + 1 : i];
      at = automaton.take(at, char === "?" ? inName : (said) => said === literal);
      i += escaped ? 2 : 1;
    }
  }
  return at;
}

/** The braces that something closes. One that is never closed stands for itself. */
function closedBraces(glob: readonly string[]): ReadonlySet<number> {
  const closed = new Set<number>();
  const open: number[] = [];
  for (let i = 0; i < glob.length; i++) {
    const end = glob[i] === "[" ? readSet(glob, i)?.end : undefined;
    if (end !== undefined) i = end - 1;
    else if (glob[i] === "\\") i++;
    else if (glob[i] === "{") open.push(i);
    else if (glob[i] === "}" && open.length > 0) closed.add(open.pop() ?? 0);
  }
  return closed;
}

/** One star stays in a name; more cross "/", and with a "/" after them they may stand for nothing. */
function stars(glob: readonly string[], from: number, at: number, automaton: Automaton): [at: number, next: number] {
  let next = from;
  while (glob[next] === "*") next++;
  if (next - from === 1) return [automaton.repeat(at, inName), next];
  const inside = automaton.repeat(at, anything);
  if (glob[next] !== "/") return [inside, next];
  const to = automaton.take(inside, (char) => char === "/");
  automaton.skip(at, to);
  return [to, next + 1];
}
