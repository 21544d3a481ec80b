import { expect, test } from "vitest";
import { bubblewrapArguments, type Starter, type View } from "./bubblewrap.js";

const user: Starter = { isRoot: false, userNamespace: null };
const root: Starter = { isRoot: true, userNamespace: 9 };
const empty: View = {
  system: [],
  home: "/home/u",
  controls: [],
  disclosures: [],
  write: [],
  read: [],
  hiddenDirectories: [],
  hiddenFiles: [],
  temps: [],
  temp: "/t",
};
const all = { processes: true, network: true };

/** Where the words stand next to each other; -1 = nowhere. */
function at(argv: readonly string[], ...words: string[]): number {
  return argv.findIndex((_, i) => words.every((word, j) => argv[i + j] === word));
}

test.each([
  ["pid namespace and its /proc", { processes: true, network: false }, ["--unshare-pid"], ["--unshare-net"]],
  ["network of its own", { processes: false, network: true }, ["--unshare-net"], ["--unshare-pid", "--proc"]],
  ["files alone", { processes: false, network: false }, ["--tmpfs"], ["--unshare-pid", "--unshare-net", "--proc"]],
])("%s", (_, isolation, there, missing) => {
  const argv = bubblewrapArguments(empty, isolation, "/p", user);
  expect(argv).toEqual(expect.arrayContaining(there));
  expect(argv.filter((word) => missing.includes(word))).toEqual([]);
});

test("nothing of it outlives its parent, and it has no powers", () => {
  const argv = bubblewrapArguments(empty, all, "/p", user);
  expect(argv).toContain("--die-with-parent");
  expect(at(argv, "--cap-drop", "ALL")).toBeGreaterThanOrEqual(0);
  expect(argv).not.toContain("--cap-add");
  expect(argv.slice(-3)).toEqual(["--chdir", "/p", "--"]);
});

test("everybody is in a user namespace, root in the one that was made for it, and /proc/sys cannot be written", () => {
  expect(at(bubblewrapArguments(empty, all, "/p", user), "--unshare-user")).toBeGreaterThanOrEqual(0);
  const argv = bubblewrapArguments({ ...empty, controls: ["/proc/sys"] }, all, "/p", root);
  expect(at(argv, "--userns", "9")).toBeGreaterThanOrEqual(0);
  expect(argv).not.toContain("--unshare-user");
  expect(at(argv, "--ro-bind", "/proc/sys", "/proc/sys")).toBeGreaterThan(at(argv, "--proc", "/proc"));
});

test("root keeps its powers over files, after all were dropped, and none that mounts", () => {
  const argv = bubblewrapArguments(empty, all, "/p", root);
  const kept = argv.filter((_, i) => argv[i - 1] === "--cap-add");
  expect(kept).toContain("CAP_DAC_OVERRIDE");
  expect(kept).not.toContain("CAP_SYS_ADMIN");
  expect(argv.indexOf("--cap-add")).toBeGreaterThan(argv.indexOf("--cap-drop"));
});

test("what is deeper goes on top, and of one place the stricter", () => {
  const view: View = {
    ...empty,
    system: [{ path: "/usr" }, { path: "/bin", link: "usr/bin" }],
    write: ["/home/u/p", "/home/u/p/.git"],
    read: ["/home/u/p/.git/config", "/home/u/.state/spill"],
    hiddenDirectories: ["/home/u/.state", "/home/u/.ssh"],
    hiddenFiles: ["/home/u/p/.env"],
    temps: ["/tmp"],
    temp: "/tmp/cinch-1",
  };
  const argv = bubblewrapArguments(view, all, "/home/u/p", user);
  const order = [
    at(argv, "--tmpfs", "/"),
    at(argv, "--dev", "/dev"),
    at(argv, "--proc", "/proc"),
    at(argv, "--ro-bind", "/usr", "/usr"),
    at(argv, "--symlink", "usr/bin", "/bin"),
    at(argv, "--bind", "/tmp/cinch-1", "/tmp"),
    at(argv, "--bind", "/home/u/p", "/home/u/p"),
    at(argv, "--tmpfs", "/home/u/.state"),
    at(argv, "--tmpfs", "/home/u/.ssh"),
    at(argv, "--bind", "/home/u/p/.git", "/home/u/p/.git"),
    at(argv, "--ro-bind", "/home/u/.state/spill", "/home/u/.state/spill"),
    at(argv, "--ro-bind", "/dev/null", "/home/u/p/.env"),
    at(argv, "--ro-bind", "/home/u/p/.git/config", "/home/u/p/.git/config"),
    at(argv, "--remount-ro", "/"),
    at(argv, "--remount-ro", "/home/u/.state"),
  ];
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  const twice: View = { ...empty, write: ["/p/a"], read: ["/p/a"], hiddenFiles: ["/p/a"] };
  const words = bubblewrapArguments(twice, all, "/p", user);
  expect(at(words, "--bind", "/p/a")).toBeLessThan(at(words, "--ro-bind", "/p/a"));
  expect(at(words, "--ro-bind", "/p/a")).toBeLessThan(at(words, "--ro-bind", "/dev/null", "/p/a"));
});
