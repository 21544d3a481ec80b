// Every dynamic import of the composition root and what triggers it. Nothing here is loaded before it is needed
// (ARCHITECTURE, start-up ledger); tools and providers load themselves through their generated indexes.

/** No model was named and no key is set. */
export const loadDiscovery = () => import("../models/discover.js");

/** The user's settings name models by pattern. */
export const loadGlob = () => import("../lib/glob.js");

/** First call that reads or changes a project file, first command; or other agents are at work here. */
export const loadClaims = () => import("../files/claims.js");

/** First call that reads or changes a project file. */
export const loadObserved = () => import("./observed.js");

/** First text that is written; each parser waits for the first text of its language. */
export const loadSyntax = () => import("../syntax/index.js");

/** First call that reads or changes a project file. */
export const loadFiles = () => import("../files/door.js");

/** First call that reads or changes a project file. */
export const loadRewrites = () => import("../files/rewrites.js");

/** First command that is not known to be read-only. */
export const loadJournal = () => import("../files/journal.js");

/** First command, or first search. */
export const loadOnlooker = () => import("./onlooker.js");

/** First command, or first search. */
export const loadPorts = () => import("./ports.js");

/** The user's settings take a key from a command. */
export const loadProcess = () => import("../lib/process.js");
