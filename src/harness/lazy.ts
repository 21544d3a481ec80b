// Every dynamic import of the composition root and what triggers it. Nothing here is loaded before it is needed
// (ARCHITECTURE, start-up ledger); tools and providers load themselves through their generated indexes.

import { once } from "../lib/once.js";

/** No model was named and no key is set; or a command prints the key. */
export const loadScarce = once(() => import("./models/scarce-model.js"));

/** The user has let Cinch keep a key. */
export const loadKeyStore = once(() => import("../secrets/key-store.js"));

/** The user's settings name models by pattern. */
export const loadGlob = once(() => import("../lib/glob.js"));

/** First call that reads or changes a project file, first command; or other agents are at work here. */
export const loadClaims = once(() => import("../files/claims/claims.js"));

/** First call that reads or changes a project file. */
export const loadObserved = once(() => import("./files/observed.js"));

/** First call that reads or changes a project file, first search. */
export const loadWithheld = once(() => import("./permissions/withheld.js"));

/** First command, search, or question to a language server. */
export const loadInventory = once(() => import("./permissions/inventory.js"));

/** First command that may show what a repository holds of withheld files. */
export const loadVersions = once(() => import("./permissions/versions.js"));

/** First text that is written; each parser waits for the first text of its language. */
export const loadSyntax = once(() => import("../syntax/index.js"));

/** First text that is asked for apart. */
export const loadLanguage = once(() => import("../files/content/language.js"));

/** First call that reads or changes a project file. */
export const loadFiles = once(() => import("../files/door.js"));

/** First call that reads or changes a project file. */
export const loadRewrites = once(() => import("../files/rewrites.js"));

/** First plan that is decided about, first rule in a settings file. */
export const loadJudge = once(() => import("./permissions/judge.js"));

/** First call that may change something. */
export const loadJournal = once(() => import("./files/session-journal.js"));

/** Before the first child of whatever kind. */
export const loadHiding = once(() => import("../lib/initial-environment.js"));

/** A run ends beside which agents have changed files. */
export const loadPresent = once(() => import("../files/undo/present.js"));

/** First command, or first search. */
export const loadOnlooker = once(() => import("./files/onlooker.js"));

/** First command, or first search. */
export const loadPorts = once(() => import("./ports.js"));

/** Somebody sends images. */
export const loadAttachedImages = once(() => import("./conversation/attached-images.js"));

/** First question for what a session has cost. */
export const loadReport = once(() => import("./sessions/session-report.js"));

/** First look at a tree of entries, first branch. */
export const loadBranching = once(() => import("./sessions/branching.js"));

/** A session goes on in which a call was begun and never ended. */
export const loadInterrupted = once(() => import("./sessions/interrupted.js"));

/** First question about sessions that are not open. */
export const loadHistory = once(() => import("./sessions/history.js"));

/** A session opens with other models to go on with. */
export const loadFallback = once(() => import("./models/fallback.js"));

/** First text that is asked for apart from its call. */
export const loadApart = once(() => import("../agent/apart.js"));

/** First compaction. */
export const loadCompact = once(() => import("../agent/compact.js"));
export const loadLedger = once(() => import("../compaction/ledger.js"));

/** First command, or first search. */
export const loadCommands = once(() => import("./shell/commands.js"));

/** First command; or the user's settings demand a sandbox. */
export const loadConfinement = once(() => import("./shell/confinement.js"));

/** First search. */
export const loadSearch = once(() => import("../lib/search.js"));

/** First listing of a directory. */
export const loadIgnore = once(() => import("../lib/ignore.js"));

/** First command, or first search. */
export const loadSupervisor = once(() => import("../lib/supervisor.js"));

/** First command; or the user's settings take a key from one. */
export const loadUserNamespace = once(() => import("../lib/user-namespace.js"));
export const loadProcess = once(() => import("../lib/process.js"));

/** The project has instruction files, or settings that would run something. */
export const loadTrust = once(async () => {
  const { lookAtProject } = await import("../trust/project.js");
  const { fingerprint } = await import("../trust/resource.js");
  return { lookAtProject, fingerprint };
});

/** There are hooks that may run. */
export const loadHooks = once(() => import("./hooks/session-hooks.js"));

/** First question about rules, or for what a command would need. */
export const loadPermitting = once(() => import("./permissions/permitting.js"));
/** There is an lsp.json, or a program that could serve the files of the project. */
export const loadSurvey = once(() => import("./languages/server-survey.js"));

/** First call that needs a language server. */
export const loadLanguages = once(() => import("./languages/languages.js"));

/** First look at what is trusted, first decision about it. */
export const loadApprovedCopy = once(() => import("../trust/approved-copy.js"));
export const loadTrustReview = once(() => import("./trust/trusting.js"));

/** First call that starts or looks at a task; a session goes on that had some. */
export const loadTaskHall = once(() => import("./tasks/hall.js"));
export const loadSessionTasks = once(() => import("./tasks/session-tasks.js"));

/** First look at tasks from outside of a session. */
export const loadTaskDesk = once(() => import("./tasks/desk.js"));

/** A program gives tasks or runs commands without asking a model. */
export const loadHostWork = once(() => import("./tasks/host-work.js"));

/** First claim; first agent that owns files while it works. */
export const loadOwning = once(() => import("./tasks/owning.js"));

/** First command in the background. */
export const loadShellTasks = once(() => import("./tasks/shell-tasks.js"));

/** First agent that works in a copy of the project. */
export const loadProjectCopy = once(() => import("./tasks/project-copy.js"));

/** First task for an agent. */
export const loadAgentTasks = once(async () => {
  const { agentTrade } = await import("./tasks/agent-tasks.js");
  const { AgentRunner } = await import("./tasks/agent-runner.js");
  return { agentTrade, AgentRunner };
});
/** First text that a program wants judged. */
export const loadHygiene = once(async () => {
  const [{ findPlaceholders }, { stubScore }] = await Promise.all([
    import("../files/content/placeholder.js"),
    import("../files/content/stub.js"),
  ]);
  return { findPlaceholders, stubScore };
});

/** First question who there is to work. */
export const loadRoster = once(() => import("./agents/roster.js"));
export const loadAgents = once(() => import("./agents/catalog.js"));

/** First command that only reads where there is no full sandbox. */
export const loadAnswering = once(() => import("./shell/answering.js"));

/** First command: the tables of programs. The grammar of bash comes with the first command that is more than bare words. */
export const loadAnalysis = once(async () => {
  const { createAnalyst, createGround } = await import("../permission/command/index.js");
  return { createGround, analyst: createAnalyst() };
});
