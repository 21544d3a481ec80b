// What is loaded with the first look at a tree, or the first branch: one door for the parts of it.

export { sessionWith, treeOf } from "./branch.js";
export { findEntry } from "./find-entry.js";
export { LiveBranches } from "./live-branches.js";
export { copyPath } from "./session-copy.js";
