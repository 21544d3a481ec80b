// Reads the words of an applet as GNU programs do: letters joined or apart, values attached or next, operands anywhere.
// Invariant: null for any word that begins with a dash and is not in the list; long options are written out.

export interface Options {
  has(letter: string): boolean;
  /** The last value. */
  value(letter: string): string | undefined;
  values(letter: string): readonly string[];
  operands: readonly string[];
}

export interface OptionList {
  /** Without a value. */
  letters: string;
  /** With one. */
  values?: string;
  /** Long ones, and the letters they stand for. */
  long?: Readonly<Record<string, string>>;
}

export function readOptions(words: readonly string[], { letters, values = "", long = {} }: OptionList): Options | null {
  const given: [string, string][] = [];
  const operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(word);
      continue;
    }
    const read = word.startsWith("--") ? longOption(word, long) : [...shortOptions(word, values)];
    for (const [letter, attached] of read ?? [["", undefined] as const]) {
      if (values.includes(letter) && letter !== "") {
        const value = attached ?? words[++at];
        if (value === undefined) return null;
        given.push([letter, value]);
      } else if (letter !== "" && letters.includes(letter) && attached === undefined) given.push([letter, ""]);
      else return null;
    }
  }
  const all = (letter: string) => given.filter(([name]) => name === letter).map(([, value]) => value);
  const has = (letter: string) => given.some(([name]) => name === letter);
  return { has, values: all, value: (letter) => all(letter).at(-1), operands };
}

function longOption(word: string, long: Readonly<Record<string, string>>): [string, string | undefined][] | null {
  const cut = word.indexOf("=");
  const name = cut < 0 ? word.slice(2) : word.slice(2, cut);
  const letter = Object.hasOwn(long, name) ? long[name] : undefined;
  return letter === undefined ? null : [[letter, cut < 0 ? undefined : word.slice(cut + 1)]];
}

function* shortOptions(word: string, values: string): Generator<[string, string | undefined]> {
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    const rest = word.slice(at + 1);
    if (!values.includes(letter)) yield [letter, undefined];
    else {
      yield [letter, rest === "" ? undefined : rest];
      return;
    }
  }
}

/** A number without sign or unit; null when it is none. */
export function count(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
