#!/usr/bin/env node
// The executable. It answers `--version` by itself, because that answer must not wait for the rest of the program.

import { version } from "../core/version.js";

const [first, ...others] = process.argv.slice(2);
if (first === "--version" && others.length === 0) process.stdout.write(`${version}\n`);
else await (await import("./main.js")).main();
