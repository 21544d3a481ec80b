// Type-checks text that is not a file of the project (examples in the documentation) against the project's sources.

import { join } from "node:path";
import ts from "typescript";
import { root } from "./source.js";

/** Errors in `files`, a map from a path below the root to its text, as `path:line message`. Nothing is written. */
export function typeErrors(files: Readonly<Record<string, string>>): string[] {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const texts = new Map(Object.entries(files).map(([path, text]) => [join(root, path), text]));
  const paths = { cinch: ["./src/index.ts"], "cinch/testing": ["./src/testing.ts"] };
  const host = ts.createCompilerHost({ ...options, baseUrl: root, paths }, true);
  const read = { file: host.readFile.bind(host), exists: host.fileExists.bind(host), source: host.getSourceFile };
  host.readFile = (path) => texts.get(path) ?? read.file(path);
  host.fileExists = (path) => texts.has(path) || read.exists(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? read.source.call(host, path, version, ...rest)
      : ts.createSourceFile(path, text, version, true);
  };
  const program = ts.createProgram([...texts.keys()], { ...options, baseUrl: root, paths }, host);
  return [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    if (!file) return [`${path} was not read`];
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ start = 0, messageText }) => {
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      return `${path.slice(root.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  });
}
