// The figures of the terminal interface. Pure.

import { alone, type Figure, figureOf, median, quantile } from "./measured.js";
import type { TerminalCosts } from "./terminal.js";

/** Null: there is no terminal to be had here, and every figure says so. */
export function terminalFigures(costs: TerminalCosts | null): Figure[] {
  const { finished = 0, pieces = 0, files = 0, echo } = costs ?? {};
  const streaming = `${pieces} pieces below ${finished} messages`;
  const p99 = (values: readonly number[] | undefined) => quantile(values ?? [], 0.99);
  const title = costs ? (what: string, when: string) => `${what}, ${when}` : (what: string) => what;
  const ready = { name: "terminal-ready", title: "start to prompt in a terminal", unit: "ms", target: 3 } as const;
  const cpu = { name: "terminal-cpu", title: title("CPU", streaming), unit: "ms" } as const;
  const written = { name: "terminal-written", title: title("written", streaming), unit: "KB" } as const;
  const cleared = { name: "terminal-cleared", title: title("screens cleared", streaming), unit: "count" } as const;
  const key = { name: "terminal-echo", title: "key to echo while it streams, p99", unit: "ms" } as const;
  const names = title("key to names that fit", `${files.toLocaleString("en-GB")} files`);
  return [
    figureOf(ready, costs?.ready ?? []),
    alone(written, 100, costs?.kilobytes ?? null),
    alone(cleared, 0, costs?.cleared ?? null),
    alone(cpu, 600, costs?.cpu ?? null),
    { ...alone(key, 16, p99(echo?.cinch)), floor: p99(echo?.floor) },
    alone({ name: "terminal-files", title: names, unit: "ms" }, 30, costs ? median(costs.names) : null),
  ];
}
