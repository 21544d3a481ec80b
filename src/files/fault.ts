// System errors as sentences for the model. What is not a system error is a bug and passes unchanged.

import { codeOf, ModelError } from "../core/errors.js";

const sentences: Record<string, string> = {
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

/** `now`: what is true after the error, for example "Nothing was changed." */
export function asModelError(thrown: unknown, shown: string, now: string): unknown {
  const code = codeOf(thrown);
  if (thrown instanceof ModelError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return thrown;
  const why = sentences[code];
  return new ModelError(`${shown}: ${why ? `${why} (${code})` : code}. ${now}`);
}
