// A hook: a command of the user or the project that hears of an event on stdin, as JSON, and may answer (docs/hooks.md).
// The names of events and fields are those that other agents use.

export const hookEvents = [
  ...["SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"],
  ...["PermissionRequest", "Notification", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact"],
] as const as readonly HookEvent[];

export type HookEvent =
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PermissionRequest"
  | "Notification"
  | "Stop"
  | "SubagentStart"
  | "SubagentStop"
  | "PreCompact"
  | "PostCompact";

export interface Hook {
  event: HookEvent;
  /** What the event must be about; "" = whatever. */
  matcher: string;
  /** A shell command, or with `args` a program. */
  command: string;
  args?: readonly string[];
  /** Seconds. */
  timeout: number;
  /** A guard that fails is a no. */
  failClosed: boolean;
}

/** A hook as somebody wrote it. */
export interface WrittenHook extends Hook {
  /** The project's own hooks may make things tighter, never looser. */
  level: "flags" | "user" | "project";
  /** `file:line`, or `flags`. */
  source: string;
}

/** `PreToolUse(Write|Edit): sh check.sh`. */
export function hookName({ event, matcher, command, args = [] }: Hook): string {
  return `${event}${matcher === "" ? "" : `(${matcher})`}: ${[command, ...args].join(" ")}`;
}
