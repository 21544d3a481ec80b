// What .gitignore files leave out, asked on a walk: single paths, and trees that count as left out whatever it says.
// Invariant: each file of rules is read once until `forget`. Decides nothing but that: what follows is for who asks.

import type { Fs } from "../../lib/fs.js";
import { type IgnoreRules, isIgnored, readIgnoreRules } from "../../lib/ignore.js";

/** An ignored tree, while it is walked. */
export interface Tree {
  path: string;
  /** New ones in it. */
  entries: number;
  /** Left out as a whole. */
  over: boolean;
}

/** Left out like ignored trees, whatever .gitignore says. */
const heavy = new Set(["node_modules", ".venv", "__pycache__"]);

export class Ignored {
  readonly #disk: Fs;
  readonly #rules = new Map<string, IgnoreRules | null>();

  constructor(disk: Fs) {
    this.#disk = disk;
  }

  /** `directories`: those with a .gitignore, from the base down. */
  async isTree(base: string, directories: readonly string[], path: string): Promise<boolean> {
    return heavy.has(path.slice(path.lastIndexOf("/") + 1)) || this.has(base, directories, `${path}/`);
  }

  async has(base: string, directories: readonly string[], path: string): Promise<boolean> {
    const chain: IgnoreRules[] = [];
    for (const directory of directories) {
      let rules = this.#rules.get(directory);
      if (rules === undefined) {
        rules = readIgnoreRules(this.#disk, base, directory.slice(base.length + 1));
        this.#rules.set(directory, rules);
      }
      if (rules) chain.push(rules);
    }
    return chain.length > 0 && isIgnored(chain, path.slice(base.length + 1));
  }

  forget(): void {
    this.#rules.clear();
  }
}
