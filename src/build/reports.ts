// What tasks say that changed no file: a review, a diagnosis, the result of a test. Their answer is all there is of their work, so
// whoever is told of the outcome reads it, as does the gate. Pure.

import type { Manifest } from "./record.js";

export interface Report {
  task: string;
  title: string;
  role: string;
  answer: string;
}

/** In the order of the plan. */
export function reportsOf(tasks: Manifest["tasks"]): Report[] {
  return Object.entries(tasks).flatMap(([task, { title, role, files, answer }]) =>
    files.length > 0 || answer.trim() === "" ? [] : [{ task, title, role, answer: answer.trim() }],
  );
}
