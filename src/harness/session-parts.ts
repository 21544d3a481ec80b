// What a live session is wired from (open.ts). Types only.

import type { ControllerCaps } from "../agent/controller.js";
import type { AgentPorts } from "../agent/ports.js";
import type { AnswerCheck } from "../agent/run.js";
import type { ImagePart } from "../core/message.js";
import type { Mode } from "../core/policy.js";
import type { Init, SessionCost } from "./api/index.js";
import type { ImageInput, Said, UserInput } from "./api/said.js";
import type { Conversation } from "./conversation/conversation.js";
import type { EventHub } from "./events.js";
import type { SessionHooks } from "./hooks/session-hooks.js";
import type { Settled } from "./sessions/interrupted.js";
import type { LiveBranches } from "./sessions/live-branches.js";
import type { LiveLog } from "./sessions/live-log.js";
import type { LazyCompanions } from "./tasks/companions.js";

export interface SessionParts {
  init: Init;
  hub: EventHub;
  log: LiveLog;
  conversation: Conversation;
  /** True when the session was opened from an existing log. */
  resumed: boolean;
  caps: ControllerCaps;
  ports: AgentPorts;
  checkAnswer?: AnswerCheck;
  /** Undefined: there are no hooks. */
  hooks: Pick<SessionHooks, "begin" | "end"> | undefined;
  /** The session's tree; loaded when it is first asked for. */
  branches: () => Promise<LiveBranches>;
  cost: () => Promise<SessionCost>;
  /** Reads the images of what is to be sent; throws UserError when one cannot be. */
  said(input: UserInput): Promise<Said>;
  image(input: ImageInput): Promise<ImagePart>;
  setMode(mode: Mode): void;
  /** Before the conversation goes on: results for calls that have none, and what the one did during which Cinch was killed. */
  settledCalls(): Promise<Settled | null>;
  /** Before each run: who else is at work here. */
  lookAround(): Promise<void>;
  companions: LazyCompanions;
  /** After each run, however it ended: what was only its own is given back. */
  letGo(): void;
  /** The barrier before a run's answer is said: the log, and what a run has put aside beside it (pre-images). */
  seal(): Promise<void>;
  close(): Promise<void>;
}
