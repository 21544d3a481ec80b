// What this process knows to be secret, and the redactor made of it. One for the process and not one for each session: a
// secret stays one whoever learnt of it, and a crash report has no session to ask.
// Invariant: a value is known before anything that may hold it is written. Learning is cheap; forms are made at first use.
// It forgets no key; texts of withheld files go with the session that withholds them. Nothing in it is ever shown.

import type { Pieces, Redactor } from "../core/redactor.js";
import { isSecretName } from "./environment.js";
import { exactly, type Finder, shapes } from "./finders.js";
import { formsOf } from "./forms.js";
import { FinderIndex, Scanner, scanned } from "./scanner.js";

export interface EnvironmentSecrets {
  /** Variables that hold keys of Cinch, whatever they are called. */
  keys?: readonly string[];
  /** Whether a value that looks like a path leads somewhere; what names a file is no secret. */
  exists?(path: string): boolean;
}

const shortest = 8;

export class KnownSecrets implements Redactor {
  readonly #names = new Map<string, string>();
  /** What sessions withhold of files, by the session that does. */
  readonly #withheld = new Map<object, ReadonlyMap<string, string>>();
  #made: Made | undefined;

  /** `name` stands in the mark that takes the place of the value. */
  learn(name: string, value: string): void {
    if (value.length < shortest || this.#names.has(value) || `[redacted:${name}]`.includes(value)) return;
    this.#names.set(value, name);
    this.#made = undefined;
  }

  /** Texts of files that `owner` withholds, with the name that stands in the mark; takes the place of what it said before. */
  withhold(owner: object, texts: ReadonlyMap<string, string>): void {
    if (texts.size === 0 && !this.#withheld.has(owner)) return;
    if (texts.size === 0) this.#withheld.delete(owner);
    else this.#withheld.set(owner, texts);
    this.#made = undefined;
  }

  learnEnvironment(env: Readonly<Record<string, string | undefined>>, how: EnvironmentSecrets = {}): void {
    const keys = new Set(how.keys);
    for (const [name, value] of Object.entries(env)) {
      if (value === undefined) continue;
      if (keys.has(name) || (isSecretName(name) && isSecretValue(value, how))) this.learn(name, value);
    }
  }

  values(text: string): string {
    return scanned(this.#redaction().values, text);
  }

  all(text: string): string {
    return scanned(this.#redaction().all, text);
  }

  pieces(): Pieces<string> {
    return new Scanner(this.#redaction().values);
  }

  bytes(shapes: boolean): Pieces<Buffer> {
    const { allBytes, valueBytes } = this.#redaction();
    return byteWise(new Scanner(shapes ? allBytes : valueBytes));
  }

  masks(): Pieces<Buffer> {
    return byteWise(new Scanner(this.#redaction().valueBytes, (_name, length) => "*".repeat(length)));
  }

  #redaction(): Made {
    this.#made ??= made([...new Map([...[...this.#withheld.values()].flatMap((texts) => [...texts]), ...this.#names])]);
    return this.#made;
  }
}

/** For text in which each character is a byte. */
function byteWise(scanner: Scanner): Pieces<Buffer> {
  const asBytes = (piece: Buffer, text: string, out: string) => (out === text ? piece : Buffer.from(out, "latin1"));
  return {
    push(piece) {
      const text = piece.toString("latin1");
      return asBytes(piece, text, scanner.push(text));
    },
    end: () => Buffer.from(scanner.end(), "latin1"),
  };
}

interface Made {
  values: FinderIndex;
  all: FinderIndex;
  /** The same for text in which each character is a byte. */
  valueBytes: FinderIndex;
  allBytes: FinderIndex;
}

function made(known: readonly [value: string, name: string][]): Made {
  const finders = (code: (form: string) => string): Finder[] =>
    known.flatMap(([value, name]) => formsOf(value).map((form) => exactly(name, code(form))));
  const exact = finders((form) => form);
  const bytes = finders((form) => Buffer.from(form, "utf8").toString("latin1"));
  return {
    values: new FinderIndex(exact),
    all: new FinderIndex([...exact, ...shapes]),
    valueBytes: new FinderIndex(bytes),
    allBytes: new FinderIndex([...bytes, ...shapes]),
  };
}

/** A variable may be called like a secret and hold a switch, a number, a path or an address. */
function isSecretValue(value: string, { exists }: EnvironmentSecrets): boolean {
  if (/^(?:[a-z]{1,15}|[A-Z]{1,15}|[0-9]{1,15})$/.test(value)) return false;
  if (/^https?:\/\/[^\s@?]*$/.test(value)) return false;
  return !(/^[/~]/.test(value) && exists?.(value) === true);
}

export const knownSecrets = new KnownSecrets();
