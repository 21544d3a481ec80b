// Signs and figures that calls, tasks and views have in common.

/** Of a task's state. */
export function stateMark(state: string): string {
  return { queued: "○", running: "◐", succeeded: "●", failed: "✗", cancelled: "⊘", interrupted: "⊘" }[state] ?? "·";
}

export function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
