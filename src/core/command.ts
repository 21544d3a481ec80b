// What is known of a shell command before it runs: its parts, and for each whether it may run unasked.
// Invariant: `readonly` is only said of a command that was understood whole and of which every part is known to do
// nothing but read; whatever is not understood lands on the other side.
// Types only: the analysis is made in permission/, judged there against modes and rules, and shown by front ends.

/** May run unasked in every mode · asks, a rule or a mode may answer · no mode and no wider rule answers (SPEC 1.13). */
export type CommandVerdict = "readonly" | "needs-approval" | "never-auto";

/** Why a command is never run unasked: it cannot be analysed, or what it would do is dangerous. */
export type NeverReason = "opaque" | "danger";

export interface CommandPart {
  /**
   * The words, quotes removed. Assignments before a command (`["A=b"]`), redirections (`[">", "out.txt"]`) and commands
   * inside of wrappers, substitutions and loops are parts of their own, so every part must be allowed and one denied part is enough.
   */
  argv: readonly string[];
  /** Where its words lead, as far as they are known to be paths or look like it: canonical. */
  paths?: readonly string[];
  /** The program gets exactly these words; false when the shell makes something else of one of them. */
  exact: boolean;
  /** It only reads, and is one that Cinch could answer itself. */
  answered?: true;
  /** Options by which a program that reads writes or starts something: an allow rule covers them only if it names them. */
  beyond?: readonly string[];
  verdict: CommandVerdict;
  reason?: NeverReason;
  /** What decided: `program:ls`, `git:status`, `redirect`, `syntax`, `path:secret`, … */
  rule: string;
  /** Where that rule is from. */
  source: string;
  /** One sentence for a person. */
  why: string;
}

export interface CommandAnalysis {
  /** The analysed bytes, which are the ones that run. */
  command: string;
  /** The strictest of the parts. */
  verdict: CommandVerdict;
  reason?: NeverReason;
  parts: readonly CommandPart[];
  /** It only reads, and Cinch answers it itself: no shell and no program of the line is started. */
  answered?: true;
  /** How to write it so that it need not be asked about; for the model and for denials. */
  hint?: string;
}
