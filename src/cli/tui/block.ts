// What the conversation is made of on the screen. Data only: transcript.ts makes blocks, blocks/ draws them.

import type { ImagePart } from "../../core/message.js";
import type { View } from "../../core/plan.js";
import type { CallStatus } from "../../core/tool.js";

interface Common {
  /** Unique in a transcript, and the same whenever it is rebuilt. */
  id: string;
  /** Counts its changes, so that a drawing of it can be kept. */
  version: number;
  /** Nothing of it will change any more: it may scroll away. */
  done: boolean;
}

export interface SaidBlock extends Common {
  kind: "said";
  text: string;
  images: readonly ImagePart[];
}

export interface TextBlock extends Common {
  kind: "text";
  text: string;
}

export interface ThinkingBlock extends Common {
  kind: "thinking";
  text: string;
}

export interface CallBlock extends Common {
  kind: "call";
  tool: string;
  summary: string;
  view: View | null;
  /** Null: under way. */
  status: CallStatus | null;
  /** What the model read. */
  text: string;
  /** Its newest line of output. */
  newest: string;
  /** Milliseconds since the epoch; null where only the log is known. */
  since: number | null;
  ms: number | null;
}

export interface NoticeBlock extends Common {
  kind: "notice";
  level: "info" | "warning" | "error";
  text: string;
}

/** What a slash command answered. */
export interface AnswerBlock extends Common {
  kind: "answer";
  text: string;
}

export type Block = SaidBlock | TextBlock | ThinkingBlock | CallBlock | NoticeBlock | AnswerBlock;
