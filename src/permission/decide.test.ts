import { expect, it } from "vitest";
import type { Effect } from "../core/plan.js";
import { modes, profileEffects as profiles } from "../core/policy.js";
import { decide } from "./decide.js";

const effects: Effect[] = ["read", "write", "exec", "net", "ask", "spawn"];
const verdicts = {
  ask: ["allow", "ask", "ask", "ask", "allow", "ask"],
  acceptEdits: ["allow", "allow", "ask", "ask", "allow", "ask"],
  auto: ["allow", "allow", "allow", "allow", "allow", "allow"],
};

it.each(modes)("mode %s", (mode) => {
  expect(effects.map((effect) => decide(effect, { mode, profile: "full" }).verdict)).toEqual(verdicts[mode]);
});

it("a profile denies in every mode what it does not hold", () => {
  for (const mode of modes) {
    for (const [profile, allowed] of Object.entries(profiles)) {
      for (const effect of effects) {
        if ((allowed as readonly Effect[]).includes(effect)) continue;
        expect(decide(effect, { mode, profile: profile as keyof typeof profiles }).verdict).toBe("deny");
      }
    }
  }
});

it("an empty profile allows nothing", () => {
  expect(effects.every((effect) => decide(effect, { mode: "auto", profile: "minimal" }).verdict === "deny")).toBe(true);
});
