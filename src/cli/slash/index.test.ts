// The index of slash commands against its folder, and which prompts are commands.

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { findSlash, nearSlash, slashCommands } from "./index.js";

test("every file of the folder is a command of that name, and the other way round", async () => {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => !/^(index|slash|help-table)\.|\.test\.ts$/.test(name),
  );
  const names = files.map((name) => name.replace(/\.ts$/, "")).sort();
  expect(Object.keys(slashCommands).sort()).toEqual(names);
  for (const [name, load] of Object.entries(slashCommands)) expect((await load()).name).toBe(name);
});

test.each([
  ["/help", "help", ""],
  ["  /help\n", "help", ""],
  ["/help  me \n now ", "help", "me \n now"],
])("%j is a command", async (prompt, name, argument) => {
  const found = await findSlash(prompt);
  expect([found?.slash.name, found?.argument]).toEqual([name, argument]);
});

test.each([
  ["/fork", []],
  ["/fork  9w3e  next one\n--switch ", ["9w3e", "next", "one", "--switch"]],
  ['/fork "good start" --files', ["good start", "--files"]],
  ['/fork ""', [""]],
  ['/fork 5" disk', ['5"', "disk"]],
])("%j has the words %j", async (prompt, words) => expect((await findSlash(prompt))?.words).toEqual(words));

test.each(["/etc/hosts is broken", "/helpful", "/help/me", "/nothing", "/", "/constructor", "say /help", "/Help"])(
  "%j is a prompt",
  async (prompt) => expect(await findSlash(prompt)).toBeNull(),
);

test.each([
  ["/cler", "/clear"],
  ["/cler all", "/clear"],
  ["/Help", "/help"],
  ["/compcat now", "/compact"],
])("%j is near to %s", (prompt, meant) => {
  const [name] = prompt.split(" ");
  expect(nearSlash(prompt)).toBe(`There is no ${name}; ${meant}? To send it as it is, begin with a space.`);
});

test.each([" /cler", "/help", "/helpful", "/etc/hosts", "/tmp is full", "/nothing", "/", "say /cler", "/cler/x"])(
  "%j is near to none",
  (prompt) => expect(nearSlash(prompt)).toBeNull(),
);
