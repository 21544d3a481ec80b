// Commands that Cinch answers itself print what the real programs print, byte for byte, and end as they end; whatever it would
// not answer like that it does not take.

import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, answered } from "../../src/harness/shell/answering.js";
import { createCommands } from "../../src/harness/shell/commands.js";
import { nodeFs } from "../../src/lib/fs.js";
import { knownSecrets } from "../../src/secrets/known.js";
import { tempDir } from "../support/run.js";

const identity = {
  ...{ GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b" },
  ...{ GIT_AUTHOR_DATE: "2024-01-02T03:04:05Z", GIT_COMMITTER_DATE: "2024-01-02T03:04:05Z" },
};

function project() {
  const base = tempDir();
  const [root, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(root, "src/deep"), { recursive: true });
  mkdirSync(home);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, LC_ALL: "C.UTF-8", TZ: "UTC" };
  const put = (name: string, text: string | Buffer) => writeFileSync(join(root, name), text);
  const git = (...words: string[]) => {
    const { status, stderr } = spawnSync("git", words, { cwd: root, env: { ...env, ...identity } });
    if (status !== 0) throw new Error(String(stderr));
  };
  put("README.md", "# Title\n\nfirst line\nsecond Line\n\n  indented\nlast");
  put("lines.txt", Array.from({ length: 40 }, (_, i) => `line ${i + 1}${i % 7 === 0 ? " TODO(x)" : ""}\n`).join(""));
  put("empty.txt", "");
  put("é ü.txt", "größe\nund\n");
  put("a b.txt", "blank name\n");
  put("data.bin", Buffer.from("needle\0needle\n"));
  put("src/a.ts", "export const a = 1;\nfunction f(x: number[]) {\n  return x.map((y) => y + 1); // TODO\n}\n");
  put("src/b.js", "var b = a['k'];\n\nb.f(1, 2);\nfoo_bar(); foo(); foobar();\n");
  put("src/deep/c.ts", "import { a } from '../a';\nconsole.log(a);\n// todo: x\n");
  put("src/deep/.hidden", "TODO hidden\n");
  put("run.sh", "echo hi\n");
  chmodSync(join(root, "run.sh"), 0o755);
  symlinkSync("src", join(root, "link"));
  symlinkSync("README.md", join(root, "readme-link"));
  utimesSync(join(root, "run.sh"), new Date("2020-05-06T07:08:09Z"), new Date("2020-05-06T07:08:09Z"));
  utimesSync(join(root, "empty.txt"), new Date("2021-05-06"), new Date("2021-05-06"));
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  appendFileSync(join(root, "README.md"), "\nmore\n");
  put("src/a.ts", "export const a = 2;\nfunction f(x: number[]) {\n  return x.map((y) => y + 1); // TODO\n}\n");
  git("mv", "src/b.js", "src/moved.js");
  git("commit", "-qam", "second\n\nwith a body\ndiff --git a/x b/x\n");
  git("tag", "-am", "tagged", "v1");
  git("switch", "-qc", "side", "HEAD~1");
  put("side.txt", "side\n");
  git("add", "-A");
  git("commit", "-qm", "third");
  git("switch", "-q", "main");
  git("merge", "-q", "--no-ff", "-m", "merged", "side");
  put("new.txt", "new\n");
  put("src/a.ts", "export const a = 3;\n");
  appendFileSync(join(root, "lines.txt"), "changed\n");
  git("add", "lines.txt");
  const commands = createCommands({ disk: nodeFs, root, env });
  const place = { root, addDirs: [], disk: nodeFs, spillDir: join(base, "spill"), env: commands.env };
  return {
    root,
    put,
    git,
    env: commands.env,
    async ours(command: string, conceals = (_path: string) => false) {
      const analysis = answered(await commands.analyse(command, root));
      const how = { analysis, cwd: root, timeoutMs: 60_000, signal: new AbortController().signal, onLine: () => {} };
      const ended = await answer({ ...how, streams: false }, { ...place, redactor: knownSecrets, conceals });
      return ended && { exit: ended.exit, output: ended.output };
    },
    theirs(command: string) {
      const text = `exec 2>&1; set -o physical; ${command}`;
      const { status, stdout } = spawnSync("bash", ["--noprofile", "--norc", "-c", text], {
        ...{ cwd: root, env: { ...commands.env, ...env }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
      });
      return { exit: status, output: stdout };
    },
  };
}

const corpus = [
  // --- shell
  "pwd",
  "echo hello world",
  "echo 'a  b' \"c d\"",
  "cd src && pwd",
  "cd link && pwd && cd .. && pwd",
  "cd nowhere && pwd",
  "cd README.md; pwd",
  "true && echo yes || echo no",
  "false && echo yes || echo no",
  "false; echo after",
  "cat nofile || echo failed",
  "ls nofile 2>/dev/null || echo gone",
  "cat nofile 2>&1 | wc -l",
  "cat nofile README.md 2>/dev/null | head -n 2",
  "cat README.md > /dev/null; echo ok",
  "echo one\necho two\n",
  // --- cat
  "cat README.md",
  "cat -n README.md lines.txt",
  "cat --number README.md",
  "cat empty.txt",
  "cat README.md nofile src empty.txt",
  "cat 'a b.txt' 'é ü.txt' readme-link",
  "cat link/a.ts",
  "cat README.md/x",
  // --- head and tail
  "head lines.txt",
  "head -3 lines.txt",
  "head -n 3 lines.txt README.md",
  "head -n3 -q lines.txt README.md",
  "head -v -n 1 README.md",
  "head -c 5 README.md",
  "head -n -38 lines.txt",
  "head -c -60 README.md",
  "head -n 0 README.md",
  "head --lines=2 README.md",
  "head nofile src README.md",
  "tail lines.txt",
  "tail -3 lines.txt",
  "tail -n 2 README.md",
  "tail -n +38 lines.txt",
  "tail -n +0 README.md",
  "tail -c 5 README.md",
  "tail -c +20 README.md",
  "tail -n 0 README.md",
  "tail -n 2 README.md lines.txt nofile",
  "tail src",
  "tail -q -n 1 README.md lines.txt",
  "cat lines.txt | tail -n 4 | head -n 2",
  // --- wc
  "wc README.md",
  "wc -l README.md",
  "wc -lw README.md",
  "wc -l README.md lines.txt empty.txt",
  "wc README.md lines.txt nofile src",
  "wc -c src",
  "wc 'é ü.txt'",
  "cat README.md | wc",
  "cat README.md | wc -l",
  "cat README.md | wc -w -c",
  "wc -l nofile",
  // --- ls
  "ls",
  "ls -a",
  "ls -A",
  "ls -1 src",
  "ls -l",
  "ls -la",
  "ls -lh",
  "ls -alh src",
  "ls -F",
  "ls -p",
  "ls -R",
  "ls -R src",
  "ls -r",
  "ls -S",
  "ls -d src",
  "ls -ld src link",
  "ls -d link",
  "ls link",
  "ls link/",
  "ls -l link",
  "ls -l readme-link run.sh",
  "ls README.md src nofile link",
  "ls nofile",
  "ls -la nofile src/deep",
  "ls src/deep src",
  "ls | head -n 3",
  "ls | wc -l",
  "ls | grep -v txt",
  "ls --all",
  // --- grep
  "grep TODO lines.txt",
  "grep -n TODO lines.txt src/a.ts",
  "grep -c TODO lines.txt src/a.ts empty.txt",
  "grep -l TODO lines.txt src/a.ts empty.txt",
  "grep -L TODO lines.txt src/a.ts empty.txt",
  "grep -i todo src/deep/c.ts",
  "grep -in LINE README.md",
  "grep -v line README.md",
  "grep -q TODO lines.txt && echo found",
  "grep -q nothing lines.txt || echo none",
  "grep nothing lines.txt",
  "grep x nofile",
  "grep -s x nofile",
  "grep x src",
  "grep -w foo src/moved.js",
  "grep -ow foo src/moved.js",
  "grep -x last README.md",
  "grep -x second README.md",
  "grep -F 'x.map((y)' src/a.ts",
  "grep -F '[' src/moved.js",
  "grep 'a = [0-9]' src/a.ts",
  "grep -E 'foo|bar' src/moved.js",
  "grep -oE 'foo|foo_bar|foobar' src/moved.js",
  "grep -oE '[a-z_]+\\(' src/moved.js",
  "grep -noE 'line [0-9]{2}' lines.txt",
  "grep 'line [0-9]\\{2\\}$' lines.txt",
  "grep '^line 1' lines.txt",
  "grep -E '^line (1|2)$' lines.txt",
  "grep 'foo\\|var' src/moved.js",
  "grep '\\(foo\\)' src/moved.js",
  "grep 'a*b' src/moved.js",
  "grep '*' README.md",
  "grep -e first -e last README.md",
  "grep -A 1 first README.md",
  "grep -B1 -n second README.md",
  "grep -C 2 -n 'line 20' lines.txt",
  "grep -n -C1 TODO lines.txt",
  "grep -n -A2 TODO lines.txt README.md",
  "grep -A1 TODO lines.txt src/a.ts",
  "grep -m 2 TODO lines.txt",
  "grep -h TODO lines.txt src/a.ts",
  "grep -H TODO src/a.ts",
  "grep needle data.bin",
  "grep -c needle data.bin",
  "grep -I needle data.bin",
  "grep größe 'é ü.txt'",
  "grep 'gr..e' 'é ü.txt'",
  "grep -o '[[:alpha:]]*' 'é ü.txt'",
  "grep '' README.md",
  "grep -n '^$' README.md",
  "grep '\\.map(' src/a.ts",
  "grep -E '\\bfoo\\b' src/moved.js",
  "grep '\\w\\+(' src/moved.js",
  "grep -E 'x{2}|y' src/a.ts",
  "grep '[]abc]' src/moved.js",
  "grep '[^a-z ]' README.md",
  "grep -rn TODO src",
  "grep -rn TODO src/",
  "grep -r todo -i src --include='*.ts'",
  "grep -rl TODO src --include='*.ts' --exclude-dir=deep",
  "grep -rc TODO src",
  "grep -r TODO --exclude='*.ts' src",
  "grep -rh TODO src",
  "grep -rn nothing src",
  "grep -rn TODO src nofile",
  "cat lines.txt | grep -c TODO",
  "cat lines.txt | grep -n TODO | head -n 1",
  // --- git
  "git status",
  "git status -s",
  "git status -sb",
  "git status --porcelain",
  "git status --porcelain=v2 --branch",
  "git status -uno",
  "cd src && git status -s",
  "git log",
  "git log --oneline",
  "git log --oneline -n 2",
  "git log -1",
  "git log -2 --stat",
  "git log --oneline --graph --all",
  "git log --oneline --decorate",
  "git log -p -1 HEAD~1",
  "git log -p",
  "git log --format=%h:%s:%an",
  "git log --pretty=format:'%h %s (%ad)' --date=short",
  "git log --since=2020-01-01 --author=A --oneline",
  "git log --name-status -- src/a.ts",
  "git log --oneline README.md",
  "git log --follow --oneline src/moved.js",
  "git log main..side --oneline",
  "git log nowhere",
  "git show",
  "git show --stat HEAD~1",
  "git show v1",
  "git show HEAD:README.md",
  "git show HEAD:src",
  "git show HEAD~1:src/a.ts",
  "git show --name-only",
  "git diff",
  "git diff --cached",
  "git diff --staged --stat",
  "git diff HEAD~1",
  "git diff HEAD~1 HEAD -- src",
  "git diff HEAD~1..HEAD --name-only",
  "git diff --name-status HEAD~1",
  "git diff -U1 -w",
  "git diff main...side",
  "git branch",
  "git branch -a",
  "git branch --show-current",
  "git rev-parse HEAD",
  "git rev-parse --abbrev-ref HEAD",
  "git rev-parse --short HEAD",
  "git rev-parse --show-toplevel",
  "git ls-files",
  "git ls-files src",
  "git ls-files -o --exclude-standard",
  "git blame src/moved.js",
  "git blame -L 1,2 README.md",
  "git --no-pager log --oneline -1",
  "git log --oneline | head -n 1",
  "git diff --stat | tail -n 1",
];

/** The order of a directory is its own. */
const sorted = /^grep -r/;

it("prints what the real programs print", { timeout: 120_000 }, async () => {
  const at = project();
  const wrong: object[] = [];
  for (const command of corpus) {
    const theirs = at.theirs(command);
    const ours = await at.ours(command).catch((error: unknown) => ({ exit: -1, output: String(error) }));
    const shape = (output: string) => (sorted.test(command) ? output.split("\n").sort().join("\n") : output);
    if (ours?.exit !== theirs.exit || shape(ours.output) !== shape(theirs.output))
      wrong.push({ command, ours, theirs });
  }
  expect(wrong).toEqual([]);
});
