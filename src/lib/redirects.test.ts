import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { redirectTargets } from "./redirects.js";

test.each<[string, string[]]>([
  ["echo a > b.js", ["b.js"]],
  ["echo a>b.js", ["b.js"]],
  ["echo a >> b.js; echo c >|d", ["b.js", "d"]],
  ["make 2> err.log 1>out.log", ["err.log", "out.log"]],
  ["make &> all.log && make &>> more.log", ["all.log", "more.log"]],
  ["make > all.log 2>&1", ["all.log"]],
  ["make >& all.log; make >&2; make >&-", ["all.log"]],
  ["exec 3<> both", ["both"]],
  [`cat > "a b.js" > 'c d'`, ["a b.js", "c d"]],
  ["cat > a\\ b", ["a b"]],
  ["echo a \\\n  > b.js", ["b.js"]],
  ["x | tee a.js | tee -a b.js c.js > d.js", ["a.js", "d.js", "b.js", "c.js"]],
  ["if true; then echo x | tee a; fi", ["a"]],
  ["A=1 tee a", ["a"]],
  ["cd sub && echo a > b.js", ["sub/b.js"]],
  ["cd sub; cd ..; echo a > b.js", ["sub/../b.js"]],
  ["cd /abs && echo > b > /c", ["/abs/b", "/c"]],
  ["(cd sub && echo > a) > b", ["sub/a", "b"]],
  ['cd "$D" && echo > a > /b', ["/b"]],
  ["cd - && echo > a", []],
  ["pushd x; echo > a", []],
  ["cat > a.js <<'EOF'\nif (x > y.js) tee z\nEOF\necho > b", ["a.js", "b"]],
  ["cat <<-E > a\n\t> b\n\tE\necho > c", ["a", "c"]],
  ["cat <<A <<B\n> x\nA\n> y\nB\necho > c", ["c"]],
  ["cat < a <<< '> b' > c", ["c"]],
  ["echo '> a' \"> b\" \\> c # > d", []],
  ["[[ a > b ]] && (( 1 > 2 )) && echo > c", ["c"]],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash.
  ["echo $(cat > a) `cat > b` ${x:->c} > d", ["d"]],
  ["echo > $X > \"$Y\" > a* > ~/b > {a,b} > $'c'", []],
  ["diff <(a > b) >(tee c)", ["b", "c"]],
  ["awk '{ print > \"a\" }' b", []],
  ["committee a", []],
  ["echo tee a", []],
  ["echo >", []],
  ["", []],
])("%j", (command, targets) => {
  expect(redirectTargets(command)).toEqual(targets);
});

test("ends with every text", () => {
  const piece = fc.constantFrom(..."ab >><&|;()[]{}'\"\\$`\n#~-0 ".split(""), "tee ", "cd ", "<<E\n", "((", "[[ ");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => Array.isArray(redirectTargets(pieces.join("")))),
    { numRuns: 2_000 },
  );
});

test("bash opens what is named", () => {
  const commands = [
    "echo a > b.js 2> c; echo x | tee -a d e >> f",
    "mkdir s; cd s && cat > 'g h' <<'E'\n> no\nE\n",
    "(cd s; echo > i) &> j; [[ a > no ]] || { echo > k; }",
  ];
  for (const command of commands) {
    const dir = mkdtempSync(join(tmpdir(), "redirects-"));
    mkdirSync(join(dir, "s"), { recursive: true });
    execFileSync("bash", ["--norc", "-c", command], { cwd: dir, stdio: "ignore" });
    const found = readdirSync(dir, { recursive: true, encoding: "utf8" }).filter((name) => name !== "s");
    expect(redirectTargets(command).sort()).toEqual(found.sort());
  }
});
