// What is used of the package `yaml`. A file of its own because the package is CommonJS: imported dynamically from a
// bundle it would have its names on `default` only.

import { isMap, isScalar, isSeq } from "yaml";

export { isMap, isScalar, LineCounter, parseAllDocuments, parseDocument } from "yaml";

/**
 * The keys that a map has had before, and where. The parser itself compares each with each, which takes minutes in long
 * maps, so it is told `uniqueKeys: false`.
 */
export function repeatedKeys(node: unknown): { at: number; key: string }[] {
  if (isSeq(node)) return node.items.flatMap(repeatedKeys);
  if (!isMap(node)) return [];
  const keys = new Set<unknown>();
  return node.items.flatMap(({ key, value }) => {
    const inside = repeatedKeys(value);
    if (!isScalar(key) || key.value === "<<") return inside;
    const isNew = !keys.has(key.value);
    keys.add(key.value);
    return isNew ? inside : [{ at: key.range?.[0] ?? 0, key: String(key.value) }, ...inside];
  });
}
