// Undo: destructive commands run by real bash, and every byte, mode and link back again.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../support/needs.js";
import { stage, yes } from "../support/stage.js";
import { treeOf } from "../support/tree.js";
import { undo } from "../support/undo.js";

const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd, stdio: "pipe" });

/** A repository with tracked, untracked, ignored, linked, executable, empty and binary things in it. */
function furnish(project: string): void {
  rmSync(join(project, ".git"), { recursive: true });
  const put = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(join(project, path, ".."), { recursive: true });
    writeFileSync(join(project, path), content, { mode });
    chmodSync(join(project, path), mode);
  };
  put(".gitignore", "dist/\n*.log\n.env\n");
  put("src/a.ts", "export const a = 1;\nexport const b = 2;\n");
  put("src/deep/er/b.ts", "b\r\nb\r\n");
  put("run.sh", "#!/bin/sh\necho run\n", 0o755);
  put("data.bin", Buffer.from([0, 1, 2, 255, 254, 10, 0]));
  put("empty.txt", "");
  put("no newline.txt", "no newline");
  put("read-only.txt", "keep me\n", 0o444);
  symlinkSync("src/a.ts", join(project, "link"));
  symlinkSync("nowhere", join(project, "dangling"));
  git(project, "init", "-q");
  git(project, "add", "-A");
  git(project, "commit", "-q", "-m", "first");
  put("src/a.ts", "export const a = 1;\nexport const b = 3; // not committed\n");
  put("untracked/new.txt", "nobody else has this\n");
  put("dist/out.js", "built\n");
  put(".env", "SECRET=1\n", 0o600);
  put("debug.log", "log\n");
  mkdirSync(join(project, "hollow"), { mode: 0o750 });
}

const commands: Record<string, string> = {
  "rm a file": "rm src/a.ts",
  "rm -rf a directory": "rm -rf src untracked",
  "rm everything": "rm -rf -- * .env .gitignore",
  "mv a file": "mv src/a.ts src/moved.ts",
  "mv over another": "mv -f untracked/new.txt run.sh",
  "mv a directory": "mv src lib",
  "sed -i": "sed -i 's/export/import/' src/a.ts src/deep/er/b.ts",
  truncate: "truncate -s 3 data.bin",
  "truncate to nothing": ": > src/a.ts",
  redirect: "echo gone > 'no newline.txt'",
  "append redirect": "echo more >> 'no newline.txt'",
  tee: "echo tee | tee src/a.ts run.sh > /dev/null",
  "cp over": "cp data.bin src/a.ts",
  "cp -r": "cp -r src copy",
  chmod: "chmod -x run.sh; chmod 600 src/a.ts; chmod 644 read-only.txt",
  "chmod -R": "chmod -R u=rwX,go= src",
  "ln -sf over a file": "ln -sf data.bin src/a.ts",
  "ln -sfn over a link": "ln -sfn data.bin link; rm dangling",
  "a link instead of a directory": "rm -rf src && ln -s untracked src",
  "a directory instead of a file": "rm run.sh && mkdir -p run.sh/inside && echo x > run.sh/inside/x",
  "a file instead of a directory": "rm -rf src && echo src > src",
  "rmdir and mkdir": "rmdir hollow; mkdir -p one/two/three",
  "find -delete": "find . -name '*.ts' -delete",
  "git checkout -- .": "git checkout -- .",
  "git clean -fdx": "git clean -fdxq",
  "git reset --hard": "git reset -q --hard",
  "git stash -u": "git -c user.name=t -c user.email=t@example.org stash -q -u",
  "git rm": "git rm -rfq src",
  dd: "dd if=/dev/zero of=src/a.ts bs=1 count=40 conv=notrunc 2>/dev/null",
  "xargs rm": "git ls-files -z | xargs -0 rm -f",
  "install -m": "install -m 700 /dev/null 'no newline.txt'",
  "in-place sort": "sort -r -o src/a.ts src/a.ts",
  "shell loop": 'for f in src/*.ts *.txt; do printf "%s\\n" "// header" | cat - "$f" > t.tmp && mv t.tmp "$f"; done',
  "failing half way": "rm src/a.ts; echo x > run.sh; exit 9",
  "killed half way": "rm -rf untracked; kill -9 $$",
  "a tar over it": "tar cf all.tar src && rm -rf src && mkdir src && tar xf all.tar -C src",
};

const others: Record<string, [program: string, command: string]> = {
  "perl -pi": ["perl", "perl -pi -e 's/a/b/g' src/a.ts untracked/new.txt"],
  python: [
    "python3",
    `python3 -c "import os,shutil; shutil.rmtree('src'); os.remove('.env'); open('run.sh','w').write('x')"`,
  ],
};

describe("a destructive command is taken back byte for byte, and again", () => {
  const takenBack = (command: string) => async () => {
    const at = await stage([{ calls: [{ id: "c1", name: "run_command", input: { command } }] }, { text: "done" }]);
    furnish(at.root);
    const before = treeOf(at.root);
    const session = await at.open({ ask: yes });
    const result = await session.send("go");
    await session.close();
    const after = treeOf(at.root);
    expect(after).not.toEqual(before);
    expect(result.coverage).toBe("full");
    await undo(at);
    expect(treeOf(at.root)).toEqual(before);
    await undo(at);
    expect(treeOf(at.root)).toEqual(after);
  };
  for (const [name, command] of Object.entries(commands)) test(name, takenBack(command));
  for (const [name, [program, command]] of Object.entries(others)) needs(program)(name, takenBack(command));

  test("there are at least thirty of them", () => expect(Object.keys(commands).length).toBeGreaterThanOrEqual(30));
});

test("setuid and setgid come back for a directory, and never for a file", async () => {
  const command = "chmod 755 tool shared && printf x > other && chmod 700 other";
  const at = await stage([{ calls: [{ id: "c1", name: "run_command", input: { command } }] }, { text: "done" }]);
  const path = (name: string) => join(at.root, name);
  for (const name of ["tool", "other"]) writeFileSync(path(name), "#!/bin/sh\n");
  mkdirSync(path("shared"));
  for (const name of ["tool", "other"]) chmodSync(path(name), 0o6755);
  chmodSync(path("shared"), 0o2775);
  const session = await at.open({ ask: yes });
  await session.send("go");
  await session.close();
  await undo(at);
  const modes = ["tool", "other", "shared"].map((name) => statSync(path(name)).mode & 0o7777);
  expect(modes).toEqual([0o755, 0o755, 0o2775]);
  expect(readFileSync(path("other"), "utf8")).toBe("#!/bin/sh\n");
});
