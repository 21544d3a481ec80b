# Runs a program as a shell with job control would, on a terminal of its own, types at it, and says how the terminal was.
#   python3 terminal.py <report> <text to wait for> <keys: ^C ^Z TERM CLOSE, joined by ","> <program> <argument>…
# The report is JSON: {before, after, stopped} (terminal modes; `stopped`: while it was stopped, or null) and `status`.
# CLOSE closes the window, as it were; `after` is null then.

import json
import os
import pty
import signal
import sys
import termios

report, wanted, keys, *command = sys.argv[1:]


def modes():
    try:
        iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(0)
    except termios.error:  # It is closed.
        return None
    return [iflag, oflag, cflag, lflag, ispeed, ospeed, [list(c) if isinstance(c, bytes) else c for c in cc]]


def foreground(pid):
    try:
        os.tcsetpgrp(0, pid)
    except OSError:  # It is closed.
        pass


def job():
    """In the new session: one job in the foreground, continued when it stops."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    before, stopped = modes(), None
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        foreground(os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(command[0], command)
    signal.signal(signal.SIGHUP, lambda *_: os.killpg(pid, signal.SIGHUP))
    with open(report + ".pid", "w") as file:
        file.write(str(pid))
    while True:
        _, status = os.waitpid(pid, os.WUNTRACED)
        foreground(os.getpid())
        if not os.WIFSTOPPED(status):
            break
        stopped = modes()
        foreground(pid)
        os.killpg(pid, signal.SIGCONT)
    said = {"before": before, "stopped": stopped, "after": modes()}
    said["status"] = os.waitstatus_to_exitcode(status)
    with open(report, "w") as file:
        json.dump(said, file)


session, terminal = pty.fork()
if session == 0:
    job()
    os._exit(0)

shown = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # The session is over.
        break
    if not piece:
        break
    shown += piece
    if keys and wanted.encode() in shown:
        for key in keys.split(","):
            if key == "CLOSE":
                os.close(terminal)
            elif key == "TERM":
                os.kill(int(open(report + ".pid").read()), signal.SIGTERM)
            else:
                os.write(terminal, bytes([ord(key[1]) - 64]))
        keys = ""
os.waitpid(session, 0)
