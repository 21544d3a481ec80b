// The submodules that the index of a repository names: git looks into each that is there with a process of its own, which
// obeys the submodule's configuration and not what the environment says (`git status` is enough). Pure.
// Invariant: the bytes are read as git reads them, or not at all: versions 2 and 3, plain, with SHA-1. Everything else is
// "not understood", which counts as the worse answer.

const [headBytes, hashBytes, fixedBytes] = [12, 20, 62];
/** File type of an entry that is a commit of another repository. */
const gitlink = 0o160000;

/** Paths from the top of the working tree; null when the bytes are not understood. */
export function submodulesIn(index: Buffer): string[] | null {
  const version = index.length < headBytes + hashBytes ? 0 : index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || (version !== 2 && version !== 3)) return null;
  const end = index.length - hashBytes;
  const paths: string[] = [];
  let at = headBytes;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + fixedBytes > end) return null;
    const flags = index.readUInt16BE(at + 60);
    const start = at + fixedBytes + (flags & 0x4000 ? 2 : 0);
    const stop = index.indexOf(0, start);
    // Git goes by the length where it fits into its twelve bits, and by the NUL where it does not.
    const length = flags & 0xfff;
    if (stop < 0 || stop > end || (length === 0xfff ? stop - start < length : stop - start !== length)) return null;
    if ((index.readUInt32BE(at + 24) & 0o170000) === gitlink) paths.push(index.toString("utf8", start, stop));
    at += Math.ceil((stop - at + 1) / 8) * 8;
  }
  return extendsPlainly(index, at, end) ? paths : null;
}

/** Whether what follows the entries may be passed over; a name in small letters means that it may not. */
function extendsPlainly(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    if (!/^[A-Z]/.test(index.toString("latin1", at, at + 4))) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
