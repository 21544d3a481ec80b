# Runs a program on a terminal of its own and passes bytes through: stdin -> terminal, terminal -> stdout. On descriptor 3 come
# lines "<rows> <columns>" that resize it. Ends with the exit code of the program, 128 + n for signal n; the first line on
# stderr is its process id.
import fcntl, os, pty, select, struct, sys, termios

rows, columns = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])


def resize(rows, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


resize(rows, columns)
print(pid, file=sys.stderr, flush=True)
open_inputs = [0, 3]
control = b""
while True:
    ready, _, _ = select.select([terminal, *open_inputs], [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            data = b""
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if data:
            os.write(terminal, data)
        else:
            open_inputs.remove(0)
    if 3 in ready:
        data = os.read(3, 4096)
        if not data:
            open_inputs.remove(3)
        control += data
        while b"\n" in control:
            line, control = control.split(b"\n", 1)
            resize(*map(int, line.split()))
_, status = os.waitpid(pid, 0)
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
sys.exit(code)
