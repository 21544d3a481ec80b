// A file system that fails on purpose: the real one, but the n-th call gives an error, or every call from the n-th on.
// Short writes are made shorter still, so that code which forgets to continue them is found.

import { type Fs, nodeFs } from "../../src/lib/fs.js";

export interface Fault {
  /** The call that fails, counted from 1; 0 = none. */
  at: number;
  code: string;
  /** Every later call fails as well, as after a crash of the disk. */
  forever?: boolean;
}

export interface FaultyDisk {
  disk: Fs;
  /** Calls so far. */
  calls(): number;
  /** Name of the call that failed first. */
  failed(): string | undefined;
}

export function faultyDisk(fault: Fault): FaultyDisk {
  let calls = 0;
  let failed: string | undefined;
  const due = (name: string): Error | undefined => {
    calls++;
    if (fault.at === 0 || (fault.forever ? calls < fault.at : calls !== fault.at)) return undefined;
    failed ??= name;
    return Object.assign(new Error(`${fault.code}: on purpose, ${name}`), { code: fault.code, syscall: name });
  };
  const disk = new Proxy(nodeFs, {
    get(real, name: keyof Fs) {
      const call = real[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        const error = due(name);
        if (error && name === "fsync") return (args.at(-1) as (error: Error) => void)(error);
        if (error) throw error;
        if (name === "writeSync" && args.length >= 4 && Number(args[3]) > 3) args[3] = Math.ceil(Number(args[3]) / 2);
        return call.apply(real, args);
      };
    },
  });
  return { disk, calls: () => calls, failed: () => failed };
}
