// The public API: a harness, its sessions, and the types they speak. Everything else may change on any day.

export type { Entry } from "./core/entry.js";
export { UserError } from "./core/errors.js";
export type { Event } from "./core/event.js";
export type { ImagePart } from "./core/message.js";
export type { Model, ModelEvent, ModelRequest } from "./core/model.js";
export type { Result } from "./core/result.js";
export type {
  AgentSession,
  AgentSummary,
  AgentTaskRequest,
  Answer,
  Appended,
  Approval,
  CommandOptions,
  CommandOutcome,
  Compaction,
  Deleted,
  ExplainedCommand,
  Fork,
  ForkOptions,
  FormationFile,
  Harness,
  HarnessOptions,
  ImageInput,
  Init,
  LanguageInfo,
  LanguageStatus,
  LoopReport,
  OpenOptions,
  OutputRange,
  PermissionRules,
  RuleListing,
  Said,
  ServerStatus,
  Session,
  SessionCost,
  SessionDetails,
  SessionSummary,
  Sessions,
  SessionTree,
  StandingRule,
  StartOptions,
  TaskOutput,
  TaskRecord,
  Tasks,
  TreeEntry,
  Trust,
  TrustStatus,
  UserInput,
  Work,
  WorkDone,
} from "./harness/api/index.js";
export { createHarness } from "./harness/index.js";
export { inspectText, type TextReport } from "./harness/languages/inspect.js";
export { checkSyntax, type SyntaxFault } from "./harness/languages/syntax-check.js";
