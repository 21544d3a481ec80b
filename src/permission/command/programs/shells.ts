// Programs that start other programs: wrappers, whose inner command is analysed too, and interpreters.

import type { Wrapper } from "./spec.js";

export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: "-i0v --ignore-environment --null -u: --unset:",
    assigns: true,
    why: "It starts another program.",
    runs: "-S --split-string -C --chdir",
  },
  timeout: {
    flags: "-v -k: -s: --kill-after: --signal: --preserve-status --foreground --verbose",
    before: 1,
    why: "It starts another program.",
  },
  nice: { flags: "-n: -NUM --adjustment:", why: "It starts another program." },
  ionice: { flags: "-t -c: -n: --class: --classdata: --ignore", why: "It starts another program." },
  stdbuf: { flags: "-i: -o: -e: --input: --output: --error:", why: "It starts another program." },
  nohup: { flags: "", why: "It detaches a program from control." },
  setsid: { flags: "-cfw --ctty --fork --wait", why: "It detaches a program from control." },
  time: { flags: "-pv", why: "It starts another program." },
  command: { flags: "-p", why: "It starts another program." },
  builtin: { flags: "", why: "It starts a builtin." },
  exec: { flags: "-cl -a:", why: "It replaces the shell." },
  xargs: {
    flags:
      "-0rtpx -I: -n: -P: -L: -d: -a@ -s: -E: --null --no-run-if-empty --max-args: --max-procs: --delimiter: --arg-file@ --verbose --replace?",
    adds: true,
    why: "It starts a program with words that are not known now.",
  },
  parallel: {
    flags: "-0k -j: --jobs: --keep-order --dry-run",
    adds: true,
    why: "It starts programs with words that are not known now.",
  },
  watch: {
    flags: "-cdetx -n: --interval: --differences? --no-title",
    why: "It never ends and runs its words through a shell.",
  },
  strace: { flags: "-cfqtTvy -e: -o: -s:", why: "It starts another program and watches it.", runs: "-p --attach" },
  ltrace: { flags: "-cf -e: -o:", why: "It starts another program and watches it.", runs: "-p" },
  sudo: { flags: "-nEHk -u: -g:", why: "It changes privileges.", danger: true },
  doas: { flags: "-n -u:", why: "It changes privileges.", danger: true },
  pkexec: { flags: "--user:", why: "It changes privileges.", danger: true },
  runuser: { flags: "-u:", why: "It changes privileges.", danger: true },
  chroot: { flags: "", before: 1, why: "It changes what the root is.", danger: true },
  unshare: { flags: "-rmnpuUf", why: "It changes its surroundings.", danger: true },
  script: { flags: "", why: "It runs its words through a shell.", danger: true },
};

/**
 * Programs that start another one, with words of their own before it. Where those end is not told: every word that names a
 * known program is taken for the one that is started.
 */
export const launchers =
  /^(chrt|taskset|flock|busybox|toybox|ld-linux\S*|ld-musl\S*|ld\.so|setarch|linux32|linux64|i386|x86_64|personality|catchsegv|fakeroot|xvfb-run|dbus-run-session|dbus-launch|firejail|bwrap|proot|valgrind|perf|rr|systemd-inhibit|prlimit|softlimit|numactl|cgexec|cpulimit|eatmydata|trickle|proxychains4?|torsocks|torify|unbuffer|chronic|ts|entr|watchexec|nodemon|hyperfine|sem|rush|cross-env|expect|faketime|schroot|start-stop-daemon|daemonize|logsave|sg|capsh|setpriv|choom|uclampset|coresched|scriptlive|rlwrap)$/;

export const shells = new Set(["bash", "sh", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh"]);

/** Languages: with a program in their words or in a file they ask, with a program from their input they are dangerous. */
export const interpreters =
  /^(python[\d.]*|pypy[\d.]*|node|nodejs|tsx|ts-node|deno|bun|perl[\d.]*|ruby[\d.]*|php\d*|lua[\d.]*|luajit|tclsh|Rscript|osascript|pwsh|powershell|jshell|ghci|irb|scheme|guile)$/;
export const inlineFlags = /^(-c|-e|-E|-p|-pe|-ne|-n|-r|-m|--eval|--print|--command|eval)/;

/** Variables that make some program run or load something, or look for things elsewhere. */
export const rulingVariables =
  /^(PATH|IFS|HOME|SHELL|ENV|BASH_ENV|BASH_FUNC.*|BASHOPTS|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|CDPATH|GLOBIGNORE|EXECIGNORE|ZDOTDIR|FPATH|INPUTRC|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|RES_OPTIONS|TERMINFO.*|GIT_.*|SSH_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|LESS.*|MANOPT|PYTHON.*|NODE_(OPTIONS|PATH|REPL.*)|NODE_EXTRA_CA_CERTS|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_.*|CLASSPATH|MAVEN_.*|GRADLE_.*|npm_.*|NPM_.*|YARN_.*|PIP_.*|UV_.*|CARGO_.*|RUSTC.*|RUSTFLAGS|RUSTDOC.*|GOFLAGS|GOENV|GOPROXY|GONOSUM.*|CC|CXX|LD|AR|CPP|MAKEFLAGS|MAKE|TAR_OPTIONS|GZIP|GREP_OPTIONS|RIPGREP_CONFIG_PATH|RSYNC_.*|CVS_RSH|DOCKER_.*|KUBECONFIG|XDG_.*|.*_PROXY|.*_proxy|SSL_.*|CURL_.*|WGETRC|AWS_.*|ANTHROPIC_.*|OPENAI_.*|GOOGLE_.*|GEMINI_.*|CINCH.*|TMPDIR|PYTHONSTARTUP|POSIXLY_CORRECT|OPENSSL_.*|SUDO_.*|PKG_CONFIG.*|CMAKE_.*|VIMINIT|EXINIT|PSQLRC|MYVIMRC)$/;
