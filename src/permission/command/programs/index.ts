// The programs that are known to only read, in one table.

import { filePrograms } from "./files.js";
import { searchPrograms } from "./search.js";
import type { Reader } from "./spec.js";
import { textPrograms } from "./text.js";

export const readers: Readonly<Record<string, Reader>> = { ...textPrograms, ...filePrograms, ...searchPrograms };
