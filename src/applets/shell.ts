// What bash answers by itself: echo, pwd, true, false. `cd` changes what follows and is in index.ts.

import type { Applet } from "./applet.js";

const echo: Applet = (words) => {
  const isOpen = words[0] === "-n";
  const said = isOpen ? words.slice(1) : words;
  if (said[0] !== undefined && /^-[neE]+$/.test(said[0])) return null;
  return async ({ out }) => {
    out(`${said.join(" ")}${isOpen ? "" : "\n"}`);
    return 0;
  };
};

const pwd: Applet = (words) => {
  if (words.length > 0) return null;
  return async ({ cwd, out }) => {
    out(`${cwd}\n`);
    return 0;
  };
};

export const shellApplets: Readonly<Record<string, Applet>> = {
  echo,
  pwd,
  true: () => async () => 0,
  false: () => async () => 1,
};
