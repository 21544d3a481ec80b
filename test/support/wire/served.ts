// A model whose provider is a server of the test, which ends with it.

import { onTestFinished } from "vitest";
import type { ModelDeps } from "../../../src/models/open.js";
import { open } from "../model.js";
import type { Protocol } from "./protocols.js";
import type { WireReply } from "./server.js";

export async function serve(one: Protocol, script: readonly WireReply[], deps: Partial<ModelDeps> = {}) {
  const server = await one.start(script);
  onTestFinished(() => server.close());
  const model = await open(one.id, { env: one.env(server), ...deps });
  return { server, model };
}
