// The mode of an entry as stat gives it: kind and permission bits in one number.
// A mode without kind bits, as older checkpoints have it, is that of a regular file.

const kindBits = 0o170000;

export const directoryKind = 0o040000;
const linkKind = 0o120000;
export const fileKind = 0o100000;

export function isDirectory(mode: number): boolean {
  return (mode & kindBits) === directoryKind;
}

export function isLink(mode: number): boolean {
  return (mode & kindBits) === linkKind;
}

export function isFile(mode: number): boolean {
  const kind = mode & kindBits;
  return kind === fileKind || kind === 0;
}

/** Do both say the same of an entry? Permissions of links mean nothing. */
export function sameMode(a: number, b: number): boolean {
  if (isLink(a) || isLink(b)) return isLink(a) && isLink(b);
  return isDirectory(a) === isDirectory(b) && permissions(a) === permissions(b);
}

export function permissions(mode: number): number {
  return mode & 0o7777;
}
