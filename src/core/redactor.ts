// What takes secrets out of text before anybody keeps or shows it (SPEC 1.5); implemented in secrets/.
// Invariant: text without a secret comes back as it was, the very same string.

import type { EntryData, EntryType } from "./entry.js";

export interface Redactor {
  /** Without the values that are known to be secret. For text that the user or the model wrote. */
  values(text: string): string;
  /** Also without what has the shape of a secret. For text from elsewhere: outputs, files, errors. */
  all(text: string): string;
  /** `values` for text that comes in pieces. */
  pieces(): Pieces<string>;
  /** For bytes that come in pieces. `shapes`: `all`, otherwise `values`. */
  bytes(shapes: boolean): Pieces<Buffer>;
  /** Known values become asterisks, one for each byte: every other byte stays where it was. */
  masks(): Pieces<Buffer>;
}

/** An entry's data without secrets. */
export type RedactEntry = <Type extends EntryType>(type: Type, data: EntryData[Type]) => EntryData[Type];

/** Together the results are what the whole would have given, wherever it was cut. */
export interface Pieces<Piece> {
  push(piece: Piece): Piece;
  /** What was held back because it might have been the beginning of a secret. */
  end(): Piece;
}
