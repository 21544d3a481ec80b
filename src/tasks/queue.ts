// The contract of a task queue. One backend is here (embedded.ts); another, for more than one machine, has to pass the same
// suite (test/conformance/task-queue.ts).
//
// What is promised
//   submit   when it resolves, every task of the batch is durable as `queued`, all of them or none
//   claim    a task is handed to one worker at a time, and never beyond the limits: of its batch, and of all of its kind
//   renew    a worker hears within one call that its task is to end, or is no longer its own
//   finish   the outcome of a task is recorded once; the second one is refused, whoever reports it
//   cancel   what is queued never begins; what runs is asked to end, and keeps the outcome that its worker reports
//   watch    every change is heard once, in the order in which it was recorded, after it was recorded
//   death    a task of a worker that died is never handed out again by itself: it becomes `interrupted`, and begins again
//            only when somebody asks for that. So a body runs at most once for each time it was asked for; what it did
//            before it was interrupted stands.
// Order: of the tasks that may begin, those of the batch with the fewest running; among these the oldest.

import type { TaskError, TaskRecord, TaskState } from "../core/task.js";

/** What one submission may use. */
export interface Batch {
  /** Running at the same time at most. */
  parallel?: number;
}

export interface TaskChange {
  /** As recorded. */
  record: TaskRecord;
  /** null: it is new. */
  from: TaskState | null;
  to: TaskState;
}

/** What of a running task is news: merged into its record. */
export type TaskNews = Partial<Pick<TaskRecord, "pid" | "pgid" | "start" | "session" | "usage" | "cost" | "output">>;

/** How it ended. */
export interface TaskOutcome
  extends TaskNews,
    Partial<Pick<TaskRecord, "exit_code" | "signal" | "result" | "value" | "files">> {
  state: "succeeded" | "failed" | "cancelled" | "interrupted";
  error?: TaskError;
}

/** `cancel`: it is to end. `lost`: it belongs to somebody else, or has ended; whatever the worker does now counts for nothing. */
export type Lease = "held" | "cancel" | "lost";

export interface TaskQueue {
  submit(records: readonly TaskRecord[], batch?: Batch): Promise<void>;
  /** A task that was interrupted is `queued` again, as this process's own. Rejects when it is in any other state. */
  resubmit(id: string): Promise<TaskRecord>;
  /** The next task that may begin, now `running`; null = none may: `watch` tells when to ask again. */
  claim(): Promise<TaskRecord | null>;
  /** A sign of life, with what is new. */
  renew(id: string, news?: TaskNews): Promise<Lease>;
  /** False: it was not running for this worker, and nothing was recorded. */
  finish(id: string, outcome: TaskOutcome): Promise<boolean>;
  /** Resolves when it is recorded that it is to end, not when it has ended. What was settled before is unchanged. */
  cancel(id: string): Promise<void>;
  /** Undefined: there is no such task. */
  find(id: string): TaskRecord | undefined;
  /** Newest first. */
  list(): TaskRecord[];
  /** `heard` also hears when a task that runs is to end (`wish`). Returns how to stop listening. */
  watch(heard: (event: TaskChange | { wish: string }) => void): () => void;
  /** Its completion was told to whom it belongs. */
  tell(id: string): Promise<void>;
  /** While it is on, a task that runs and only waits for others takes no place away from them. */
  rest(id: string, on: boolean): void;
}

/** Does the work of one kind of task. Rejects for what is nobody's outcome: the task then failed as `crash`. */
export interface TaskRunner {
  run(record: TaskRecord, control: TaskControl): Promise<TaskOutcome>;
}

export interface TaskControl {
  /** Aborted when the task is to end: its reason is a TaskEnd. */
  signal: AbortSignal;
  heartbeat(): void;
  progress(news: TaskNews): void;
}

/** Why a running task is ended from outside. */
export class TaskEnd extends Error {
  override name = "TaskEnd";
  readonly why: "cancelled" | "timeout" | "closing";

  constructor(why: TaskEnd["why"]) {
    super(why);
    this.why = why;
  }
}
