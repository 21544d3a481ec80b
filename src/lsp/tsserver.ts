// Problems in the way of typescript-language-server, also behind a wrapper: it neither answers the protocol's own question for them nor says which
// version it publishes for, and stays silent when a file without problems stays so. It passes questions on to tsserver,
// which answers about the text as it is.

import type { Diagnostic } from "vscode-languageserver-types";
import { tsserverCommand } from "./capabilities.js";
import type { Document } from "./documents.js";
import { listOf, memberOf } from "./members.js";
import type { LanguageServer } from "./server.js";

const severityOf: Readonly<Record<string, 1 | 2 | 4>> = { error: 1, warning: 2, suggestion: 4, message: 4 };

export async function tsserverProblems(
  server: LanguageServer,
  { uri }: Document,
  signal: AbortSignal,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const command of ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]) {
    const asked = [command, { file: uri, includeLinePosition: true }, { executionTarget: 0 }];
    const params = { command: tsserverCommand, arguments: asked };
    const answer = await server.ask("workspace/executeCommand", params, signal);
    for (const each of listOf(memberOf(answer, "body"))) found.push(diagnosticOf(each));
  }
  return found;
}

function diagnosticOf(each: unknown): Diagnostic {
  const position = (name: string) => {
    const at = memberOf(each, name);
    return { line: Number(memberOf(at, "line")) - 1, character: Number(memberOf(at, "offset")) - 1 };
  };
  return {
    range: { start: position("startLocation"), end: position("endLocation") },
    message: String(memberOf(each, "message")),
    severity: severityOf[String(memberOf(each, "category"))] ?? 1,
    code: Number(memberOf(each, "code")),
    source: "ts",
  };
}
