// What a server is started with: what an lsp.json says over what is known of its program; and which files of a project make a
// program of the user's a matter of trust.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createHarness } from "../../src/index.js";
import { callsInTurn, heard, lspStage, resultsOf, withServers, writeProject } from "../support/lsp.js";
import { root, tempDir } from "../support/run.js";

/** A program of this name that is the scripted server. */
function program(directory: string, name: string, log: string): string {
  const path = join(directory, name);
  mkdirSync(directory, { recursive: true });
  const server = join(root, "test/data/lsp/scripted-server.mjs");
  const text = [
    `#!${process.execPath}`,
    `process.argv[2] = ${JSON.stringify(JSON.stringify({ log }))};`,
    `import(${JSON.stringify(server)});`,
  ];
  writeFileSync(path, `${text.join("\n")}\n`);
  chmodSync(path, 0o755);
  return path;
}

it("an entry for a known program is amended, section by section, by what is known of it", async () => {
  const own = { initializationOptions: { own: 1, provideFormatter: true }, settings: { json: { mine: 1 } } };
  const entries = (log: string) => ({
    mine: { command: [program(dirname(log), "vscode-json-language-server", log)], extensions: [".def"], ...own },
  });
  const hover = { name: "lsp_hover", input: { path: "a.def", line: 1 } };
  const staged = await lspStage({ "a.def": "def alpha\n" }, entries, callsInTurn([hover]));
  const session = await staged.open({ settings: withServers });
  await session.send("go");
  await session.close();
  expect(resultsOf(staged, 1)[0]).toContain("word def");
  const told = (method: string) => heard(staged.log).find((each) => each.method === method)?.params;
  expect(told("initialize")).toMatchObject({
    initializationOptions: { own: 1, provideFormatter: true, handledSchemaProtocols: ["file"] },
  });
  expect(told("workspace/didChangeConfiguration")).toEqual({ settings: { json: { mine: 1 }, http: {} } });
});

it("a command that cannot be started: the call says what is wrong, where it is written, and what to do; the run goes on", async () => {
  const extensions = [".def"];
  const entries = (log: string) => {
    const odd = join(dirname(log), "odd");
    writeFileSync(odd, "#!/no/such/interpreter\n", { mode: 0o755 });
    return {
      long: { command: [process.execPath, "x".repeat(200_000)], extensions },
      odd: { command: [odd], extensions: [".odd"] },
    };
  };
  const calls = ["a.def", "a.odd"].map((path) => ({ name: "lsp_hover", input: { path, line: 1 } }));
  const all = { name: "lsp_diagnostics", input: {} };
  const staged = await lspStage({ "a.def": "text\n", "a.odd": "text\n" }, entries, callsInTurn([...calls, all]));
  const session = await staged.open({ settings: withServers });
  expect((await session.send("go")).subtype).toBe("success");
  await session.close();
  const [long, odd, overview] = resultsOf(staged, 3);
  const next =
    "Nothing was asked. Whoever set it up can mend its command in lsp.json; `cinch lsp status` shows it. Search goes on without it.";
  const tooLong = "it could not be started: its command line and environment are longer than this system takes (E2BIG)";
  expect(long).toBe(`The language server long does not run: ${tooLong}. ${next}`);
  expect(odd).toBe(
    `The language server odd does not run: it could not be started: its program, or what runs that, is not there (ENOENT). ${next}`,
  );
  expect(overview).toContain(`The language server long does not run: ${tooLong}. To start it again,`);
});

it.each([
  "node_modules/typescript/lib/tsserver.js",
  "node_modules/typescript/lib/_tsserver.js",
  ".yarn/sdks/typescript/lib/tsserver.js",
  ".vscode/pnpify/typescript/lib/tsserver.js",
])("the user's typescript-language-server waits for trust where the project has %s", async (file) => {
  const base = tempDir();
  const project = join(base, "project");
  writeProject(project, { "tsconfig.json": "{}\n", ".git/HEAD": "ref: refs/heads/main\n" });
  const bin = join(base, "bin");
  program(bin, "typescript-language-server", join(base, "log"));
  const env = { PATH: bin, ANTHROPIC_API_KEY: "k" };
  const server = async () => {
    const { languages } = createHarness({ cwd: project, home: join(base, "home"), env });
    return (await languages.status()).servers.find(({ name }) => name === "typescript-language-server");
  };
  expect(await server()).toMatchObject({ state: "ready" });
  writeProject(project, { [file]: "evil()\n" });
  expect(await server()).toMatchObject({
    state: "untrusted",
    why: `it runs ${file} of the project; \`cinch trust project\` shows and approves it`,
  });
});
