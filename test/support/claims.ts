// A project, a place for claims, and agents of this process that claim files there, all new for every test.
// The paths change with every test: `beforeEach(freshClaims)` first.

import fs from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EventBody } from "../../src/core/event.js";
import { AgentClaims, type ClaimsOptions } from "../../src/files/claims/claims.js";
import { tempDir } from "./run.js";

export let root = "";
/** Where the claims are. */
export let dir = "";

export function freshClaims(): void {
  const base = tempDir("cinch-claims-");
  root = join(base, "project");
  dir = join(base, "state", "claims");
  fs.mkdirSync(join(root, "src"), { recursive: true });
  fs.writeFileSync(join(root, "a.js"), "a\n");
}

export interface Agent {
  claims: AgentClaims;
  events: EventBody[];
  records: { path: string; owner: string; until: number | null }[];
  take(path: string): void;
  hold(...paths: string[]): void;
  release(...paths: string[]): string[];
}

export function agent(session: string, options: Partial<ClaimsOptions> = {}): Agent {
  const events: EventBody[] = [];
  const records: Agent["records"] = [];
  const claims = new AgentClaims({
    root,
    dir,
    agent: "main",
    session,
    now: Date.now,
    emit: (event) => events.push(event),
    record: (claim) => records.push(claim),
    ...options,
  });
  onTestFinished(() => claims.close());
  return {
    claims,
    events,
    records,
    take: (path) => {
      for (const place of claims.locate([path])) claims.take(place);
    },
    hold: (...paths) => claims.hold(claims.locate(paths)),
    release: (...paths) => claims.release(claims.locate(paths)).map(({ shown }) => shown),
  };
}

/** What is in the place for claims. */
export const files = () => (fs.existsSync(dir) ? fs.readdirSync(dir) : []);
