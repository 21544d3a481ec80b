// kill -9 of Cinch and of its terminal: nothing that was acknowledged is lost, and the terminal can be typed in again.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, vi } from "vitest";
import buildDist from "../support/build.js";
import { needs } from "../support/needs.js";
import { bin, cleanEnv, shellWords, tempDir } from "../support/run.js";
import { TestTerminal } from "../support/terminal.js";

beforeAll(buildDist);

const script = [
  { text: "I wait.", calls: [{ tool: "run_command", input: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
  { text: "The steering was heard." },
];

function place() {
  const base = tempDir();
  const [cwd, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(cwd, ".git"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(base, "script.json"), JSON.stringify(script));
  const settings = { sandbox: { mode: "off" }, permissions: { mode: "auto" }, lsp: { disabled: ["*"] } };
  writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  return { base, cwd, home, model: `scripted/${join(base, "script.json")}` };
}

/** The log, as text. */
function logOf(home: string): string {
  const sessions = join(home, "sessions");
  const names = readdirSync(sessions, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return names.map((name) => readFileSync(join(sessions, name), "utf8")).join("");
}

needs("python3")("killed with a prompt and a steering said: both are there when the session goes on", async () => {
  const { cwd, home, model } = place();
  const term = new TestTerminal(["-m", model], { cwd, home });
  await term.until("What is to be done?");
  term.type("begin with this\r");
  await term.until("◐ run until");
  term.type("and mind that\r");
  await term.until("⋯ and mind that");
  process.kill(await term.pid, "SIGKILL");
  await term.done;
  expect(logOf(home)).toContain("begin with this");
  writeFileSync(join(cwd, "go"), "");
  const again = new TestTerminal(["-m", model, "-c"], { cwd, home });
  await again.until(/❯ begin with this[\s\S]*What is to be done\?/);
  again.type("go on\r");
  await again.until("What you had steered in before the session ended");
  await again.until(/❯ and mind that[\s\S]*What is to be done\?/);
  again.type("\x04");
  expect(await again.done).toBe(0);
});

needs("tmux")("the terminal itself is killed: Cinch ends, and what was said is in the log", async () => {
  const { base, cwd, home, model } = place();
  const { tmux, shows } = session({ base, cwd, home });
  tmux("send-keys", "-t", "t", `exec ${shellWords([process.execPath, bin, "-m", model])}`, "Enter");
  await shows("What is to be done?");
  tmux("send-keys", "-t", "t", "begin with this", "Enter");
  await shows("◐ run until");
  const pid = Number(tmux("display-message", "-p", "-t", "t", "#{pane_pid}").trim());
  tmux("kill-pane", "-t", "t");
  await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), { timeout: 50_000, interval: 50 });
  expect(logOf(home)).toContain("begin with this");
});

needs("tmux")("kill -9 of Cinch under a shell: the shell echoes and takes commands again", async () => {
  const { base, cwd, home, model } = place();
  const { tmux, shows } = session({ base, cwd, home });
  tmux("send-keys", "-t", "t", `${shellWords([process.execPath, bin, "-m", model])}; echo ended with $?`, "Enter");
  await shows("What is to be done?");
  const shell = tmux("display-message", "-p", "-t", "t", "#{pane_pid}").trim();
  const pid = Number(readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ")[0]);
  process.kill(pid, "SIGKILL");
  await shows("ended with 137");
  tmux("send-keys", "-t", "t", "echo is $((40+2)) there", "Enter");
  await shows("is 42 there");
  const screen = tmux("capture-pane", "-p", "-t", "t");
  expect(screen).toContain("echo is $((40+2)) there");
  expect(tmux("display-message", "-p", "-t", "t", "#{cursor_flag}").trim()).toBe("1");
});

/** A shell in a tmux of its own. */
function session({ base, cwd, home }: { base: string; cwd: string; home: string }) {
  const env = cleanEnv({ CINCH_HOME: home, TERM: "xterm-256color", LC_ALL: "C.UTF-8", PS1: "$ " });
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-S", join(base, "tmux.sock"), "-f", "/dev/null", ...args], {
      ...{ cwd, env, encoding: "utf8" },
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
  // A second one keeps the server, and with it the answers, when the first is killed.
  tmux("new-session", "-d", "-s", "t", "-x", "100", "-y", "30", "bash", "--norc", "--noprofile");
  tmux("new-session", "-d", "-s", "other", "-x", "80", "-y", "24", "bash", "--norc", "--noprofile");
  onTestFinished(() => void tmux("kill-server"));
  const shows = (what: string) =>
    vi.waitFor(() => expect(tmux("capture-pane", "-p", "-t", "t")).toContain(what), { timeout: 30_000, interval: 50 });
  return { tmux, shows };
}
