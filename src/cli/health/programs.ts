// Which programs Cinch uses are there: on PATH, and the ripgrep that comes with the package.

import { diskFlags, type Fs } from "../../lib/fs.js";
import { onPath } from "../../lib/on-path.js";
import { type Finding, finding } from "./finding.js";

interface Program {
  name: string;
  /** Other names of it. */
  also?: readonly string[];
  /** Why it matters, and whether anything is wrong without it. */
  without: string;
  needed: boolean;
}

const programs: readonly Program[] = [
  { name: "bash", needed: true, without: "commands cannot be run" },
  {
    name: "git",
    needed: false,
    without: "commands of the model that use git will fail; Cinch itself does not need it",
  },
  ...(process.platform === "linux"
    ? [
        {
          name: "bwrap",
          needed: false,
          without: "there is no sandbox for commands (the package is called bubblewrap)",
        },
      ]
    : []),
  {
    name: "chromium",
    also: ["chromium-browser", "google-chrome"],
    needed: false,
    without: "builds are not looked at in a browser",
  },
];

export async function checkPrograms(disk: Fs, path: string): Promise<Finding[]> {
  const found = programs.map(({ name, also = [], needed, without }) => {
    const [place] = [name, ...also].flatMap((each) => onPath(disk, path, each));
    if (place) return finding("programs", "ok", `${name} is ${place}`);
    return finding("programs", needed ? "wrong" : "note", `${name} is not on PATH: ${without}`, `Install ${name}.`);
  });
  return [...found, await ripgrep(disk)];
}

async function ripgrep(disk: Fs): Promise<Finding> {
  const fix = "Install Cinch again, with optional packages.";
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    disk.accessSync(rgPath, diskFlags.X_OK);
    return finding("programs", "ok", `ripgrep is ${rgPath}`);
  } catch {
    // Whatever is wrong with the package, the mending is the same.
    return finding("programs", "wrong", "the ripgrep of this package is not there: files cannot be searched", fix);
  }
}
