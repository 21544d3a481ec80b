// Programs that change something: what, in a few words for the one who is asked, and what of it is never run unasked.

import { builtins } from "./builtins.js";
import { machine } from "./machine.js";
import { asks, type Doer, danger } from "./spec.js";

/** `cp -t there these` */
const into = /^-[A-Za-z]*t$|^--target-directory$/;
/** A size from a gigabyte on. */
const big = /(^|[\s=])(-\w*[sl])?[+<>/%]?(\d{10,}|\d+([GTPEZY](i?B)?)|\d{4,}M(i?B)?)(\s|$)/i;
const localControl =
  /\b(127\.\d+\.\d+\.\d+|localhost|\[::1\]|0\.0\.0\.0):(2375|2376|2379|6443|8001|9229|10250)\b|\b169\.254\.169\.254\b|metadata\.google\.internal/;
const container =
  /(^|\s)(--privileged|--pid[= ]host|--net(work)?[= ]host|--userns[= ]host|--ipc[= ]host|--cap-add\S*|--device\S*|--security-opt\S*)(\s|$)|docker\.sock|(^|\s)(-v|--volume)[= ]?(\/|~|\.\.)|--mount\S*[= ].*(source|src)=(\/|~|\.\.)/;
const removes =
  /^(-\S+\s+|--(context|host|namespace)\s+\S+\s+)*((compose|container|image|volume|network|system|builder|buildx|context|swarm|node|stack|service|secret|config|plugin|pod|machine)\s+(-\S+\s+)*)?(prune|rm|rmi|remove|kill|down\b.*\s(-v|--volumes)|reset|leave|push|login|logout)\b/;
const containers = asks("talks to a service that has the rights of root", {
  danger: [
    [container, "It gives the container a hold on this machine."],
    [removes, "It removes what is no part of the project, or publishes it."],
  ],
});
const cluster = (does: string, words: RegExp) => asks(does, { danger: [[words, "It changes what others rely on."]] });
const changesCluster =
  /(^|\s)(delete|destroy|apply|replace|patch|edit|scale|drain|cordon|taint|exec|cp|attach|proxy|port-forward|rollout|set|create|run|uninstall|upgrade|install|rollback|import|state|force-unlock|taint|login)\b/;
const editor = asks("opens an editor", {
  danger: [
    [
      /(^|\s)(-\w*[esS]\w*|-c|--cmd|\+\S*|--eval|--load|-l|-f|--batch|--script)(\s|=|$)/,
      "It runs commands of the editor.",
    ],
  ],
});
const pager = asks("waits for keys", {
  danger: [[/(^|\s)(-P\S*|--pager\S*|-H\S*|--html\S*|\+\S*!)/, "It starts a program."]],
});

const files: Readonly<Record<string, Doer>> = {
  touch: asks("creates files or changes their times", { operands: "write" }),
  mkdir: asks("creates directories", { operands: "write" }),
  rmdir: asks("deletes directories", { operands: "delete" }),
  rm: asks("deletes files", { operands: "delete" }),
  unlink: asks("deletes a file", { operands: "delete" }),
  shred: asks("destroys files", { operands: "delete" }),
  truncate: asks("cuts files", { operands: "write", danger: [[big, "It fills the disk."]] }),
  tee: asks("writes files", { operands: "write" }),
  cp: asks("copies files", { operands: "last", into }),
  mv: asks("moves files", { operands: "tree" }),
  ln: asks("creates links", { operands: "last", into }),
  install: asks("copies files", {
    operands: "last",
    into,
    danger: [[/-m\s?[ug]*[2467]\d{3}|u\+s|--strip-program/, "It sets a privilege bit, or runs a program."]],
  }),
  rsync: asks("copies files", {
    operands: "last",
    into: /^--remove-source-files$|^--(backup|partial|temp|log)/,
    runs: "-e --rsh --rsync-path",
  }),
  chmod: asks("changes modes", {
    operands: "tree",
    danger: [[/(^|[\s,])[ugoa]*[+=][rwxXt]*s|(^|\s)[2467]\d{3}(\s|$)/, "It sets a privilege bit."]],
  }),
  chown: asks("changes owners", { operands: "tree" }),
  chgrp: asks("changes groups", { operands: "tree" }),
  mkfifo: asks("creates a special file", { operands: "write" }),
  mknod: asks("creates a special file", { operands: "write" }),
  mktemp: asks("creates a file", { operands: "write" }),
  patch: asks("changes files", {
    operands: "write",
    danger: [[/(^|\s)(-e|--ed)(\s|$)/, "An ed script can run commands."]],
  }),
  split: asks("writes files", { operands: "write", runs: "--filter" }),
  csplit: asks("writes files", { operands: "write" }),
  tar: asks("reads or writes an archive", {
    operands: "read",
    into: /^-?[A-Za-z]*[cruA][A-Za-z]*$|^--(create|append|update|file|directory)$/,
    runs: "--to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command -I -F",
  }),
  zip: asks("writes an archive", { operands: "first", runs: "-TT --unzip-command" }),
  unzip: asks("writes files", { operands: "read" }),
  gzip: asks("replaces files", { operands: "write" }),
  gunzip: asks("replaces files", { operands: "write" }),
  xz: asks("replaces files", { operands: "write" }),
  bzip2: asks("replaces files", { operands: "write" }),
  zstd: asks("replaces files", { operands: "write" }),
  "7z": asks("reads or writes an archive", { operands: "write" }),
  fallocate: asks("reserves space on the disk", { operands: "write", danger: [[big, "It fills the disk."]] }),
  cpio: asks("reads or writes an archive", { operands: "write", runs: "--to-command --rsh-command" }),
  dd: asks("copies bytes", {
    operands: "read",
    danger: [
      [/(^|\s)of=\/dev\/(?!null\b)/, "It writes to a raw device."],
      [/(^|\s)if=\/dev\/(?!null\b)(?!.*(^|\s)count=\d{1,4}(\s|$))/, "It fills the disk."],
      [/(^|\s)(bs|count|seek)=(\d{5,}|\d+[GTPEZY]|\d{4,}M)/i, "It fills the disk."],
    ],
  }),
  less: pager,
  more: pager,
  most: pager,
  man: pager,
  info: asks("waits for keys"),
  vim: editor,
  vi: editor,
  nvim: editor,
  ex: editor,
  ed: editor,
  emacs: editor,
  nano: editor,
  view: editor,
};

const languages: Readonly<Record<string, Doer>> = {
  env: asks("shows the environment"),
  printenv: asks("shows the environment"),
  yes: asks("writes without end"),
};

const network: Readonly<Record<string, Doer>> = {
  curl: asks("reaches the network", {
    operands: "read",
    runs: "--engine",
    danger: [
      [localControl, "It talks to a service that controls this machine."],
      [/\bfile:\/\//, "It reads a file around the rules."],
      [/--unix-socket|--abstract-unix-socket/, "It talks to a local service."],
    ],
  }),
  wget: asks("reaches the network", {
    operands: "read",
    runs: "--use-askpass --execute -e --use-server-timestamps-program",
    danger: [[localControl, "It talks to a service that controls this machine."]],
  }),
  ssh: asks("reaches another machine", {
    danger: [
      [
        /ProxyCommand|LocalCommand|KnownHostsCommand|-\w*[LRDA]\w*(\s|$)/i,
        "It runs a command here, or opens this machine to another.",
      ],
    ],
  }),
  scp: asks("reaches another machine", { danger: [[/ProxyCommand|(^|\s)-S/i, "It runs a command here."]] }),
  sftp: asks("reaches another machine", { danger: [[/ProxyCommand|(^|\s)-[SDb]/i, "It runs a command here."]] }),
  nc: asks("reaches the network", {
    danger: [[/(^|\s)-\w*[ec]\w*(\s|$)|--(exec|sh-exec|lua-exec)/, "It gives a program to the network."]],
  }),
  ncat: asks("reaches the network", {
    danger: [[/(^|\s)-\w*[ec]\w*(\s|$)|--(exec|sh-exec|lua-exec)/, "It gives a program to the network."]],
  }),
  socat: asks("reaches the network", { danger: [[/\b(exec|system|shell):/i, "It gives a program to the network."]] }),
  dig: asks("asks a name server, which is a way out for data"),
  nslookup: asks("asks a name server, which is a way out for data"),
  host: asks("asks a name server, which is a way out for data"),
  ping: asks("reaches the network"),
  telnet: asks("reaches the network"),
  ftp: asks("reaches the network"),
  openssl: asks("can reach the network and files"),
  gh: asks("uses your account", {
    danger: [
      [
        /^(auth\s+(token|refresh|login|logout|setup-git)|alias\b|extension\b|secret\b|ssh-key\b|gpg-key\b|(repo|release|run|issue|label|gist|cache|variable|project|codespace)\s+delete(-\w+)?|repo\s+(archive|rename|edit|create)|pr\s+merge|release\s+create|workflow\s+run|config\s+set|api\b.*(-X|--method)\s*(DELETE|PUT|PATCH))/i,
        "It changes your account, or shows its secrets.",
      ],
    ],
  }),
  docker: containers,
  podman: containers,
  nerdctl: containers,
  "docker-compose": containers,
  kubectl: cluster("talks to a cluster", changesCluster),
  helm: cluster("talks to a cluster", changesCluster),
  oc: cluster("talks to a cluster", changesCluster),
  terraform: cluster("runs providers", changesCluster),
  tofu: cluster("runs providers", changesCluster),
  pulumi: cluster("runs a program", /(^|\s)(up|destroy|refresh|cancel|stack\s+rm|state|login)\b/),
  aws: cluster(
    "uses your account",
    /(^|\s)(rm|rb|mv|sync|cp|mb|delete|terminate|create|put|update|modify|stop|start|run|attach|detach|deploy|invoke|configure|remove|disable|reboot|send|publish)\S*(\s|$)/,
  ),
  gcloud: cluster(
    "uses your account",
    /(^|\s)(delete|create|deploy|update|set\S*|add\S*|remove\S*|stop|start|ssh|auth|reset|import|move)\b/,
  ),
  az: cluster("uses your account", /(^|\s)(delete|create|update|set|purge|stop|start|login|deploy\S*|remove|add)\b/),
  twine: danger("publishes packages"),
  vercel: danger("deploys"),
  netlify: danger("deploys"),
  flyctl: danger("changes what is deployed"),
  fly: danger("changes what is deployed"),
  heroku: danger("changes what is deployed"),
  firebase: danger("changes what is deployed"),
  wrangler: danger("changes what is deployed"),
};

const build: Readonly<Record<string, Doer>> = {
  npm: asks("runs code of the project or its packages", {
    operands: "read",
    danger: [
      [
        /^(publish|unpublish|deprecate|dist-tag|logout|star|team|hook|profile|login|adduser|token|owner|access|config\s+(set|delete|edit)|set)\b/,
        "It changes your account or your settings.",
      ],
      [/--(script-shell|node-options|userconfig|globalconfig)/, "It replaces what is run."],
    ],
  }),
  npx: asks("downloads and runs a package"),
  pnpm: asks("runs code of the project or its packages", {
    operands: "read",
    danger: [
      [/^(publish|unpublish|login|logout|config\s+(set|delete))\b/, "It changes your account or your settings."],
    ],
  }),
  yarn: asks("runs code of the project or its packages", {
    operands: "read",
    danger: [[/^(publish|login|npm\s+publish|config\s+set)\b/, "It changes your account or your settings."]],
  }),
  make: asks("runs code of the project", {
    operands: "read",
    danger: [[/(^|\s)(SHELL|MAKEFLAGS)=|--eval/, "It replaces what is run."]],
  }),
  cargo: asks("runs code of the project", {
    operands: "read",
    danger: [[/^(publish|login|yank|owner)\b|(^|\s)--config\b/, "It changes your account, or what is run."]],
  }),
  go: asks("runs code of the project", {
    operands: "read",
    danger: [[/(^|\s)--?(toolexec|exec|vettool|overlay)\b|^env\s+-w/, "It replaces what is run."]],
  }),
  pip: asks("runs set-up code of packages"),
  pip3: asks("runs set-up code of packages"),
};

export const doers: Readonly<Record<string, Doer>> = {
  ...files,
  ...languages,
  ...network,
  ...build,
  ...machine,
  ...builtins,
};
