// One figure: medians of both sides, the ratio of pairs, and whether it reaches its target. Pure.
// Invariant: a pair with a side missing does not count; without a measurement nothing is judged.

export interface Figure {
  name: string;
  title: string;
  unit: "ms" | "MB" | "KB" | "tokens" | "times" | "count" | "turns";
  /** Medians. Null = cannot be measured on this machine. */
  cinch: number | null;
  floor: number | null;
  ratio: number | null;
  /** Lowest and highest ratio of a pair. */
  spread: [low: number, high: number] | null;
  pairs: number;
  /** At most this; null = for information. */
  target: number | null;
  /** Which column the target is about. */
  of: "ratio" | "cinch";
  /** Null without a target, or without a measurement. */
  reached: boolean | null;
}

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

export type Pair = { cinch: number | null; floor: number | null };
export type Label = Pick<Figure, "name" | "title" | "unit"> & Partial<Pick<Figure, "target" | "of">>;

/** A figure from pairs of measurements; a pair with a side missing does not count. */
export function figureOf(label: Label, pairs: readonly Pair[]): Figure {
  const whole = pairs.filter(
    (pair): pair is { cinch: number; floor: number } => pair.cinch !== null && pair.floor !== null,
  );
  const ratios = whole.filter((pair) => pair.floor > 0).map((pair) => pair.cinch / pair.floor);
  const { target = null, of = "ratio" } = label;
  const figure: Figure = {
    ...label,
    target,
    of,
    cinch: median(whole.map((pair) => pair.cinch)),
    floor: median(whole.map((pair) => pair.floor)),
    ratio: median(ratios),
    spread: ratios.length > 0 ? [Math.min(...ratios), Math.max(...ratios)] : null,
    pairs: whole.length,
    reached: null,
  };
  const value = figure[of];
  if (target !== null && value !== null) figure.reached = value <= target;
  return figure;
}

/** One value, without a floor; null where it cannot be measured. */
export function alone(label: Label, target: number, value: number | null): Figure {
  const reached = value === null ? null : value <= target;
  return { ...figureOf({ ...label, target, of: "cinch" }, []), cinch: value, reached };
}

/** The value that so many of them do not exceed. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
