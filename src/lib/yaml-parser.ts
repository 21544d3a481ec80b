// What is used of the package `yaml`. A file of its own because the package is CommonJS: imported dynamically from a
// bundle it would have its names on `default` only.

export { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, parseDocument } from "yaml";
