// One question with yes or no, on a terminal. Where nobody can answer nobody is asked: `null`.

import { createInterface } from "node:readline";

export async function askYesNo(question: string): Promise<boolean | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve) => {
      lines.question(`${question} [y/N] `, (answer) => resolve(/^y(es)?$/i.test(answer.trim())));
      lines.once("close", () => resolve(false));
    });
  } finally {
    lines.close();
  }
}
