// Lines of a program that say where they stand, so that a cut text shows what of it arrived.
// They parse alone and together, and each ends with a line end.

export const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `const line${from + i} = ${from + i};\n`).join("");
