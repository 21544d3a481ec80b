// The process that watches over one command in the background: a shell of a few lines, in a session of its own. It starts
// the command in a group of its own, with no input and with stdout and stderr going straight into the log, and says how it
// ended in `<id>.end`, whoever is still there to read it.
//   why      (none) it ended by itself · cancelled · timeout · disk: its log is full · owner: Cinch is gone
//   hears    anything on its input, which means to end it; the end of its input, which is the end of Cinch; `<id>.cancel`
// Invariants: every byte is in the log when it is printed, so no end of Cinch loses any; when the end is written nothing of
// the command's group is left, nor what carries its mark (setsid). It looks at the clock and the log without starting anything,
// once a second, more often only while much is printed, and else it sleeps. Detached, it goes on when Cinch ends.
// Programs come from the system, not from the PATH of the command.

import { codeOf } from "../core/errors.js";
import type { Fs } from "../lib/fs.js";
import { isObject, parseJson } from "../lib/json.js";
import { markName } from "../lib/marked.js";
import { bashPath, startWatched, type Watched } from "../lib/process.js";

/** Value of the variable by which whatever a task started is known. */
export function taskMark(id: string): string {
  return `task-${id}`;
}

const script = `
log=$1 end=$2 wish=$3 seconds=$4 cap=$5 mark=$6 detached=$7
shift 7
why=
exec 3>>"$log" 2>/dev/null
set -m
${markName}=$mark "$@" </dev/null >&3 2>&3 3>&- &
child=$!
set +m
umask 077
PATH=/usr/bin:/bin
echo "$child"
exec >/dev/null 4<&0
# No signal ever reaches a wait for the command: bash may lose the exit code of what ends just then.
trap '' HUP INT TERM
# The reason is the exit code of whoever watches.
stop() {
  reason=$1
  kill -TERM -- "-$child"
  sleep 2 &
  wait "$!"
  kill -KILL -- "-$child"
  exit "$reason"
}
# Since the boot, whatever somebody does to the time of day.
clock() {
  read -r now _ </proc/uptime && now=\${now%.*} || now=$SECONDS
}
watch() {
  reason=0
  trap 'exit "$reason"' USR1
  clock
  began=$now size=0 was=0 ticks='.05 .1 .2 .4 1'
  [ "\${BASH_VERSINFO[0]}" -ge 4 ] || ticks=1
  next=$ticks
  while :; do
    at=$now line=
    tick=\${next%% *} next=\${next#* }
    if [ -n "$alone" ]; then
      sleep 1 &
      wait "$!"
      clock
    else
      IFS= read -r -t "$tick" line
      got=$?
      clock
      # Half a line is one too: time is up at any character.
      [ "$got" != 0 ] && [ -z "$line" ] || stop 10
      if [ "$got" -le 128 ] && [ "$now" = "$at" ]; then
        [ -n "$detached" ] || stop 11
        alone=1
      fi
    fi
    [ "$seconds" = 0 ] || [ $((now - began)) -lt "$seconds" ] || stop 12
    [ ! -e "$wish" ] || stop 10
    read -r _ size </proc/self/fdinfo/3
    [ "$size" -le "$cap" ] || stop 13
    [ $((size - was)) -le $((cap / 64)) ] || next=$ticks
    was=$size
  done
}
watch <&4 4<&- &
watcher=$!
exec 0</dev/null 4<&-
wait "$child"
code=$?
kill -USR1 "$watcher"
wait "$watcher"
case $? in
  10) why=cancelled ;;
  11) why=owner ;;
  12) why=timeout ;;
  13) why=disk ;;
esac
left=0
# A group of zombies alone does nothing: the first process of a sandbox is one until the system's first process collects it.
alive() {
  kill -0 -- "-$child" || return
  [ -r /proc/self/stat ] || return 0
  for file in /proc/[0-9]*/stat; do
    stat=
    IFS= read -r -d '' stat <"$file"
    # "pid (name) state parent group …"; the name may contain anything, also parentheses.
    stat=\${stat##*) } state=\${stat%% *}
    stat=\${stat#* * }
    [ "\${stat%% *}" != "$child" ] || [ "$state" = Z ] || [ "$state" = X ] || return 0
  done
  return 1
}
if alive && sleep 0.02 && alive && sleep 0.05 && alive && sleep 0.1 && alive; then
  left=1
  kill -TERM -- "-$child"
  for round in 1 2 3 4 5 6 7 8 9 10; do
    alive || break
    sleep 0.2
  done
  kill -KILL -- "-$child"
fi
for signal in TERM KILL KILL; do
  found=
  for file in $(grep -lsz "^${markName}=$mark$" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill "-$signal" "\${pid%/environ}" && found=1 left=1
  done
  [ -n "$found" ] || break
  [ "$signal" = KILL ] || sleep 0.5
done
printf '{"code":%s,"why":"%s","left":%s,"time":%s000}\\n' "$code" "$why" "$left" "$(date +%s)" >"$end.part"
mv -f "$end.part" "$end"
`;

export interface WatchedCommand {
  id: string;
  /** What is run, sandbox and all. */
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  log: string;
  end: string;
  /** The file by which others ask for its end. */
  wish: string;
  /** Whole seconds; null = for ever. */
  seconds: number | null;
  /** Bytes of its log after which it is ended. */
  cap: number;
  detached: boolean;
}

export function watchCommand(disk: Fs, command: WatchedCommand): Watched {
  const { id, argv, cwd, env, log, end, wish, seconds, cap, detached } = command;
  const words = [log, end, wish, String(seconds ?? 0), String(cap), taskMark(id), detached ? "1" : ""];
  const args = ["--noprofile", "--norc", "-c", script, "cinch-task", ...words, ...argv];
  return startWatched(bashPath(disk), args, { cwd, env });
}

/** How a command ended, as its watcher has it. */
export interface CommandEnd {
  code: number;
  why: "" | "cancelled" | "timeout" | "disk" | "owner";
  /** Something of it was still alive when it ended, and was ended. */
  left: boolean;
  time: number;
}

const whys: readonly string[] = ["", "cancelled", "timeout", "disk", "owner"];

/** Undefined while it has not ended, or when its watcher did not live to say so. */
export function readEnd(disk: Fs, path: string): CommandEnd | undefined {
  let text: string;
  try {
    text = disk.readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { code, why, left, time } = value;
  if (typeof code !== "number" || typeof time !== "number" || !whys.includes(why as string)) return undefined;
  return { code, why: why as CommandEnd["why"], left: left === 1, time };
}
