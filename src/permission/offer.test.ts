// What "always" offers: the narrowest rule that answers the question, and none where no rule should be remembered.
// That a rule which is taken answers that question, and no other, is held here as well.

import { describe, expect, it } from "vitest";
import { command, facts, policy, read, verdict, write } from "../../test/support/permission.js";
import { shells, wrappers } from "./command/programs/shells.js";
import { type Act, decide } from "./decide.js";
import { offerFor } from "./offer.js";

describe("what always offers", () => {
  const offered = (act: Act) => offerFor(act, decide(act, policy("ask"), facts), "/p");
  it.each<[string, Act, string | null]>([
    ["one file", write("/p/src/a*b"), "Edit(/src/a\\*b)"],
    ["the exact words", command([["touch a b"]]), "Bash(touch a b)"],
    ["a fixed subcommand", command([["git commit -m x"]]), "Bash(git commit *)"],
    ["a script by name", command([["npm run build --x"]]), "Bash(npm run build *)"],
    ["beside what only reads", command([["ls", "readonly"], ["touch a"]]), "Bash(touch a)"],
    ["two commands: none", command([["touch a"], ["touch b"]]), null],
    ["a redirection: none", command([["> a"]]), null],
    ["danger: none", command([["rm -rf /", "never-auto", "danger"]]), null],
    ["a protected file: none", write("/p/.git/config"), null],
    ["a secret file: none", read("/p/.env"), null],
    ["a place outside", read("/x/a"), "Read(//x/a)"],
    ["the whole disk: none", read("/"), null],
    ["a secret file outside: none", read("/x/.env"), null],
    ["a program of the project: none", command([["./build.sh"]]), null],
  ])("%s", (_name, act, expected) => {
    expect(offered(act)).toBe(expected);
  });
  const listed =
    "python python3.12 pypy3.10 node tsx perl ruby npx curl wget ssh docker find source . chrt flock busybox setpriv hyperfine";
  it.each([...listed.split(" "), ...shells, ...Object.keys(wrappers)])("B 35: nothing for %s", (program) => {
    expect(offered(command([[`${program} x`]]))).toBeNull();
  });
  it("an offer that is taken answers the question, and only that", () => {
    const some = [write("/p/src/a*b"), read("/x/a*b"), command([["touch a b"]]), command([["git commit -m x"]])];
    for (const act of some) {
      const rule = offered(act) ?? "";
      expect(verdict(read("/x/acb"), "ask", { allow: [rule] })).toBe("ask");
      expect(verdict(act, "ask", { allow: [rule] })).toBe("allow");
      expect(verdict(write("/p/src/axb"), "ask", { allow: [rule] })).toBe("ask");
      expect(verdict(command([["touch a c"]]), "ask", { allow: [rule] })).toBe("ask");
    }
  });
});
