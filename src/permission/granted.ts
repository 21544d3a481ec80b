// Allow rules that the user made by answering "always": one file a project, in the user's state, never in the project, so
// that no pull can bring one (SECURITY B 53). The keyed name and the root inside of it must agree.
// Invariant: what cannot be read grants nothing. Matching and judging are elsewhere.

import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { changeKept, putAside, readKept } from "../lib/kept-file.js";

export interface Grant {
  rule: string;
  /** ISO time. */
  since: string;
}

export interface GrantsOptions {
  disk: Fs;
  file: string;
  /** Canonical root of the project. */
  root: string;
  now(): number;
  /** Told once why the file does not count. */
  fault?(text: string): void;
}

export class Grants {
  readonly #options: GrantsOptions;
  #told = false;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  get file(): string {
    return this.#options.file;
  }

  /** What stands in the file now: another process may have revoked a rule. */
  list(): Grant[] {
    const { disk, file } = this.#options;
    const { text, fault } = readKept(disk, file);
    const grants = text === "" ? [] : this.#parse(text);
    if (fault) this.#tell(fault);
    else if (grants === null) this.#tell(`${file} is damaged, so none of its rules counts.`);
    return grants ?? [];
  }

  add(rule: string): Promise<void> {
    return this.#change((grants) => {
      if (grants.some((grant) => grant.rule === rule)) return null;
      return [...grants, { rule, since: new Date(this.#options.now()).toISOString() }];
    });
  }

  /** False when there is no such rule. */
  async revoke(rule: string): Promise<boolean> {
    let found = false;
    await this.#change((grants) => {
      const left = grants.filter((grant) => grant.rule !== rule);
      found = left.length < grants.length;
      return found ? left : null;
    });
    return found;
  }

  #change(change: (grants: Grant[]) => Grant[] | null): Promise<void> {
    const { disk, file, root, now } = this.#options;
    return changeKept(disk, file, (text) => {
      const known = text === "" ? [] : this.#parse(text);
      if (known === null) this.#tell(`${file} is damaged; it was put aside as ${putAside(disk, file, now())}.`);
      const next = change(known ?? []);
      return next && `${JSON.stringify({ v: 1, root, rules: next }, null, 2)}\n`;
    });
  }

  /** Null when the text is not this project's list. */
  #parse(text: string): Grant[] | null {
    const value = parseJson(text);
    if (!isObject(value) || value["root"] !== this.#options.root || !Array.isArray(value["rules"])) return null;
    const grants = value["rules"].map((each) => (isObject(each) ? each : {}));
    const sound = grants.every(({ rule, since }) => typeof rule === "string" && typeof since === "string");
    return sound ? (grants as unknown as Grant[]) : null;
  }

  #tell(text: string): void {
    if (!this.#told) this.#options.fault?.(text);
    this.#told = true;
  }
}
