// The environment of a confined command: that of any other, without the names of sockets through which somebody outside
// would act for it, and with temp and missing caches inside. Pure.

/** Agents that sign, buses that start programs, displays that type, terminals and editors that take commands. */
const doors =
  /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DOCKER_HOST|CONTAINER_HOST|TMUX|TMUX_PANE|STY|VSCODE_\w+|KITTY_LISTEN_ON|NVIM|EMACS_SOCKET_NAME)$/;

/** `missing`: variables that say where a cache is, of caches that are not there. */
export function confinedEnvironment(
  env: Readonly<Record<string, string>>,
  missing: readonly string[],
): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !doors.test(name));
  const inside: Record<string, string> = Object.fromEntries(kept);
  for (const name of ["TMPDIR", "TMP", "TEMP"]) if (name in inside) inside[name] = "/tmp";
  for (const name of missing) inside[name] = `/tmp/cache-${name.toLowerCase()}`;
  return inside;
}
