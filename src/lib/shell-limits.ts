// How much a command may print and how long its end may take: in memory, on disk, from TERM to KILL.

export interface ShellLimits {
  /** Bytes of the beginning and of the end that are kept in memory and returned. */
  head: number;
  tail: number;
  /** Bytes that are written to disk at most. */
  spill: number;
  /** Bytes of output after which the command is ended. */
  total: number;
  /** From TERM to KILL after a time-out, and for processes left behind. */
  graceMs: number;
  /** From TERM to KILL after a cancellation. */
  cancelGraceMs: number;
  /** How long output is awaited after the command's exit, when somebody still holds the pipe. */
  drainMs: number;
}

export const defaultLimits: ShellLimits = {
  head: 6_000,
  tail: 10_000,
  spill: 64 * 1024 * 1024,
  total: 1024 * 1024 * 1024,
  graceMs: 2_000,
  cancelGraceMs: 80,
  drainMs: 250,
};
