// Which language server serves what, as text for a person. Pure.

import type { LanguageStatus } from "../../index.js";

type Server = LanguageStatus["servers"][number];

/** Those that matter here first; the rest in one line. */
export function lspView({ servers, problems }: LanguageStatus): string {
  const here = servers.filter(({ wanted, state }) => wanted || state === "running" || state === "failed");
  const others = servers.filter((each) => !here.includes(each) && each.state === "ready").map(({ name }) => name);
  return [
    ...problems,
    ...(here.length > 0 ? here.flatMap(serverLines) : ["No language server is known for the files of this project."]),
    ...(others.length > 0 ? [`Also there, for other files: ${[...new Set(others)].join(", ")}.`] : []),
  ].join("\n");
}

function serverLines({ name, state, extensions, source, command, why, roots }: Server): string[] {
  const more = [
    ...(command.length > 0 ? [command.join(" ")] : []),
    ...(why === "" ? [] : [why]),
    ...(roots.length > 0 ? [`runs for ${roots.join(", ")}`] : []),
  ];
  return [
    `${state.padEnd(10)}${name}   ${extensions.join(" ")}   (${source})`,
    ...more.map((line) => `${" ".repeat(10)}${line}`),
  ];
}
