// Looking things up in numbers that are sorted, in the time of a few halvings. What is not sorted is not noticed: whoever
// keeps the numbers keeps them in order.

/** How many of the sorted numbers are below `limit`. */
export function below(sorted: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
