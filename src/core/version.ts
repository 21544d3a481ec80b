// The version of this program: put in by the build from package.json, so there is one place to change it.

declare const __CINCH_VERSION__: string | undefined;

export const version: string = typeof __CINCH_VERSION__ === "string" ? __CINCH_VERSION__ : "0.0.0-source";
