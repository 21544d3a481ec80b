// The environment of the program. What is secret in it is known before anything is printed; before a session is opened it is
// taken out of this process's own environment, so that whoever starts a child cannot hand it over by accident. The bytes in
// /proc are overwritten before the first child (harness/shell/supervision.ts). Only the program does this: in an application
// that embeds Cinch the variables are the application's.

import { nodeFs } from "../lib/fs.js";
import { isSecretName } from "../secrets/environment.js";
import { knownSecrets } from "../secrets/known.js";

export function learnEnvironment(): void {
  knownSecrets.learnEnvironment(process.env, { exists: (path) => nodeFs.existsSync(path) });
}

export function takeEnvironment(): Readonly<Record<string, string | undefined>> {
  const env = { ...process.env };
  for (const name of Object.keys(env)) if (isSecretName(name)) delete process.env[name];
  return env;
}
