// The sources of Cinch as the house tests see them: files, parsed once, with their imports and functions.
// Invariant: what is not found is not silently fine. Callers assert how many files they saw, and the scanners take
// plain text, so that each test can feed them a planted violation.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Source {
  /** Relative to src/, or `test/…`; with slashes. */
  path: string;
  text: string;
}

export interface Import {
  specifier: string;
  kind: "static" | "dynamic" | "export" | "type";
  line: number;
}

let cached: Source[] | undefined;

/** Every hand-written .ts and .tsx file below src/. */
export function sources(): Source[] {
  cached ??= filesBelow(join(root, "src"));
  return cached;
}

function filesBelow(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
}

export const isTest = (path: string) => /\.test\.tsx?$/.test(path);
const isGenerated = (path: string) => /\.gen\.tsx?$/.test(path);

/** Tools by name: a file of tools/ with a default export of `defineTool`; `read-file.ts` holds `read_file`. */
export function toolsOf(files: readonly Source[]): Map<string, Source> {
  const tools = files.filter(
    ({ path, text }) => path.startsWith("tools/") && /^export default defineTool\b/m.test(text),
  );
  return new Map(tools.map((tool) => [tool.path.slice("tools/".length, -".ts".length).replaceAll("-", "_"), tool]));
}

/** The sources that ship and that somebody wrote. */
export function shipped(): Source[] {
  return sources().filter(({ path }) => !isTest(path) && !isGenerated(path));
}

/** The tests, those beside their file and all below test/ (as `test/…`), with what supports them. */
export function tests(): Source[] {
  const below = filesBelow(join(root, "test")).map(({ path, text }) => ({ path: `test/${path}`, text }));
  return [...sources().filter(({ path }) => isTest(path)), ...below];
}

function parse(source: Source): ts.SourceFile {
  return ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ES2023, true);
}

/** Every way to name another module: import, export from, import(), import type, import("x").T, require(). */
export function importsOf(source: Source): Import[] {
  const file = parse(source);
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, kind: Import["kind"]) => {
    if (!node || !ts.isStringLiteralLike(node)) return;
    found.push({ specifier: node.text, kind, line: lineOf(file, node) });
  };
  visit(file, (node) => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly ? "type" : "static");
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly ? "type" : "export");
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, "type");
    else if (ts.isExternalModuleReference(node)) add(node.expression, "static");
    else if (ts.isCallExpression(node) && isImportCall(node)) add(node.arguments[0], "dynamic");
  });
  return found;
}

function isImportCall(call: ts.CallExpression): boolean {
  const callee = call.expression;
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === "require");
}

/** Path relative to src/ of what `specifier` names in `from`, or undefined for a package or a built-in module. */
export function targetOf(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.join(dirname(from), specifier).replace(/\.js$/, ".ts");
}

export interface FunctionSize {
  name: string;
  line: number;
  lines: number;
}

/** Functions, methods, accessors and arrow functions with a body, by their own length. */
export function functionsOf(source: Source): FunctionSize[] {
  const file = parse(source);
  const found: FunctionSize[] = [];
  visit(file, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return;
    const first = lineOf(file, node);
    const last = file.getLineAndCharacterOfPosition(node.getEnd()).line + 1;
    found.push({ name: nameOf(node), line: first, lines: last - first + 1 });
  });
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name) return node.name.getText();
  if (ts.isConstructorDeclaration(node)) return "constructor";
  const holder = node.parent;
  return ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) ? holder.name.getText() : "(anonymous)";
}

/** Identifiers and the texts of string and template literals, with their lines. Comments are not among them. */
export function wordsOf(source: Source): { text: string; line: number }[] {
  const file = parse(source);
  const found: { text: string; line: number }[] = [];
  visit(file, (node) => {
    const literal =
      ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node);
    if (literal || ts.isIdentifier(node)) found.push({ text: node.text, line: lineOf(file, node) });
  });
  return found;
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  node.forEachChild((child) => visit(child, see));
}

function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
