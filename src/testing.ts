// The entry point `cinch/testing`: what tests of programs built on Cinch need to be fast and byte-stable.
// Deliberately small: a clock and ids that do not vary, to be passed to `createHarness`.

export { countedIds, type FixedClock, fixedClock } from "./lib/fixed.js";
