// What Cinch tells a server about itself, and what it reads of a server's capabilities. Pure.
// Deliberately small: what is not answered here is not asked for, so a server does not compute it.

import type { JsonObject } from "../core/json.js";
import { listOf, memberOf } from "./members.js";
import { type Encoding, encodings } from "./text.js";

export const symbolKinds = [
  ...["file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum"],
  ...["interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key", "null"],
  ...["enum member", "struct", "event", "operator", "type parameter"],
];

const kinds = { valueSet: symbolKinds.map((_, at) => at + 1) };

export const clientCapabilities: JsonObject = {
  general: { positionEncodings: [...encodings], markdown: { parser: "none" } },
  window: { workDoneProgress: true, showMessage: {} },
  workspace: {
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true },
    symbol: { symbolKind: kinds },
    applyEdit: true,
    workspaceEdit: { documentChanges: true, resourceOperations: [] },
    diagnostics: { refreshSupport: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    definition: { linkSupport: true },
    references: {},
    hover: { contentFormat: ["plaintext", "markdown"] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true, symbolKind: kinds },
    rename: { prepareSupport: true },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor", "source"] } },
      resolveSupport: { properties: ["edit"] },
      dataSupport: true,
      disabledSupport: true,
      isPreferredSupport: true,
    },
    publishDiagnostics: { versionSupport: true, relatedInformation: true },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
  },
  // An extension of the protocol: some servers say with it, and not as progress, whether they have read the project.
  experimental: { serverStatusNotification: true },
};

export const tsserverCommand = "typescript.tsserverRequest";

export interface ServerAbilities {
  encoding: Encoding;
  /** Documents are sent as a whole, whatever it would take. */
  wantsSaves: boolean;
  /** Answers `textDocument/diagnostic`. */
  pulls: boolean;
  /** Passes questions on to tsserver (`typescript.tsserverRequest`), whoever wraps it. */
  asksTsserver: boolean;
  resolvesActions: boolean;
  /** `hover`, `rename`, … */
  has(provider: string): boolean;
}

/** `result`: of `initialize`. */
export function abilitiesOf(result: unknown): ServerAbilities {
  const capabilities = memberOf(result, "capabilities");
  const named = memberOf(capabilities, "positionEncoding");
  const sync = memberOf(capabilities, "textDocumentSync");
  const isOn = (value: unknown) => value !== undefined && value !== null && value !== false;
  return {
    encoding: encodings.find((each) => each === named) ?? "utf-16",
    wantsSaves: isOn(memberOf(sync, "save")),
    pulls: isOn(memberOf(capabilities, "diagnosticProvider")),
    asksTsserver: listOf(memberOf(memberOf(capabilities, "executeCommandProvider"), "commands")).includes(
      tsserverCommand,
    ),
    resolvesActions: memberOf(memberOf(capabilities, "codeActionProvider"), "resolveProvider") === true,
    has: (provider) => isOn(memberOf(capabilities, `${provider}Provider`)),
  };
}
