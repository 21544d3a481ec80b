// What a source file takes from other files of the project and what it gives, as its syntax says. One noun for all languages.

export interface Taken {
  /** As it is written: `./store.js`, `.models`, `css/site.css`. */
  from: string;
  /** 1-based. */
  line: number;
  /** Names it needs from there; `default` is one. Empty: the file has to be there. */
  names: readonly string[];
}

export interface ModuleFace {
  takes: readonly Taken[];
  /** Null: what it gives cannot be told from its text. */
  gives: ReadonlySet<string> | null;
  /** Whose names it hands on, as they are written. */
  passes: readonly string[];
}

/** From an offset to its line. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
