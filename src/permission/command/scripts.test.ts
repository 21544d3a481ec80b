// Scripts of sed and awk that are called read-only, run by the real programs: nothing is started and nothing is written.

import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { analystIn, makeShellProject } from "../../../test/support/shell-cases.js";

const project = makeShellProject();
afterAll(project.remove);
let analyse: Awaited<ReturnType<typeof analystIn>>;
beforeAll(async () => {
  analyse = await analystIn(project.root, project.home);
});

const sedPieces = fc.constantFrom(
  ..."1 2 $ , ! { } ; / | # : \\ [ ] ] ^ \n \t s y e w r R W p d n N g G h x q = a i c b t l D".split(" "),
  ...["1,2", "/hello/", "\\|o|", "s/a/b/", "s|l|b|g", "s/h/e/e", "[[:space:]]", "[/]", "[^]/]", "w pwn", "e touch pwn"],
  ...[
    "touch pwn",
    "y/a/b/",
    "a\\",
    "a text",
    "}\n",
    ";e touch pwn",
    "\ne touch pwn",
    "\\n",
    "-e",
    "&",
    "s/.*/touch pwn/",
    "e\n",
  ],
);
const awkPieces = fc.constantFrom(
  ..."{ } ( ) ; / | > < = ~ ! $1 $0 NR , + 1 \n \\ [ ]".split(" "),
  ...[
    "print",
    "print $1",
    ">",
    '"pwn"',
    'system("touch pwn")',
    '| "sh"',
    '"touch pwn"',
    '"a"',
    "/h/",
    "/[/]/",
    '/"/',
    "BEGIN",
  ],
  ...[
    "getline",
    "{print}",
    "x=1",
    "1/2",
    "/ 2",
    "||",
    "&&",
    ">=",
    "if (1)",
    "printf",
    '> "pwn"',
    'print "touch pwn" | "sh"',
  ],
);

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

it.each([
  ["sed", sedPieces, 4_000],
  ["awk", awkPieces, 1_500],
] as const)("%s", { timeout: 240_000 }, (program, pieces, numRuns) => {
  const names = readdirSync(project.root);
  let ran = 0;
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (list) => {
      const script = list.join("");
      if (analyse(`${program} ${quoted(script)} README.md`).verdict !== "readonly") return;
      ran++;
      spawnSync(program, [script, "README.md"], { cwd: project.root, stdio: "ignore", timeout: 10_000 });
      const now = readdirSync(project.root);
      for (const name of now) if (!names.includes(name)) rmSync(join(project.root, name));
      expect(now, script).toEqual(names);
    }),
    { numRuns },
  );
  expect(ran).toBeGreaterThan(20);
});
