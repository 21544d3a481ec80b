// The probe that is run in the sandbox before anything else: a script that tries what must fail there, and says what did not.
// Invariant: it changes nothing even where it succeeds: files are opened for appending and nothing is appended.

/** Things that exist outside and must be out of reach. */
export interface Forbidden {
  /** Canonical paths that must not be writable. */
  files: readonly string[];
  /** Canonical paths that must not be there at all: sockets among them. */
  absent: readonly string[];
  /** A port of the loopback interface on which this process listens. */
  port: number;
}

/** Arguments of bash. It prints a line for each thing that it could do. */
export function probeArguments({ files, absent, port }: Forbidden): string[] {
  return ["--noprofile", "--norc", "-c", script, "probe", String(port), String(files.length), ...files, ...absent];
}

/** What it tries, in the words of its own lines. */
export function probed({ files, absent }: Forbidden): string[] {
  return [...files.map((file) => `write ${file}`), ...absent.map((path) => `see ${path}`), connecting];
}

const connecting = "connect to another program";
const script = `
port=$1 count=$2; shift 2
for file in "\${@:1:count}"; do
  if { : >>"$file"; } 2>/dev/null; then echo "write $file"; fi
done
for path in "\${@:count+1}"; do
  if [ -e "$path" ]; then echo "see $path"; fi
done
if { exec 3<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null; then echo "${connecting}"; fi
`;
