// What the system says when a file cannot be read or written, as words.
// Invariant: what is no error of the system has none, and stays the bug it is.

import { codeOf } from "../core/errors.js";

const words: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "the system does not permit it",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EMFILE: "too many open files",
  ENFILE: "too many open files in the system",
  EIO: "the disk reported an input/output error",
  ENAMETOOLONG: "the name is too long",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  ENOENT: "it does not exist (any more)",
  ESTALE: "the network file system lost the file",
  EBUSY: "it is in use",
  ETXTBSY: "it is a program that is running",
  ELOOP: "the path runs through a link",
};

/** For example `no space left on the disk (ENOSPC)`; null = it is no error of the system. */
export function diskFault(thrown: unknown): string | null {
  const code = codeOf(thrown);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) return null;
  const why = words[code];
  return why ? `${why} (${code})` : code;
}
