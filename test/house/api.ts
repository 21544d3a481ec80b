// The public surface as text: for each entry point its exported names with their declarations, bodies and comments
// left out. Taken from the sources by the compiler, so that it needs no build and no import can hide anything.

import { existsSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "./source.js";

const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: true });
const signature =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.WriteArrowStyleSignature |
  ts.TypeFormatFlags.UseFullyQualifiedType;

/** Entry point (as in package.json) -> module below src/. */
export const entries = {
  cinch: "index.ts",
  "cinch/tools": "tools/index.ts",
  "cinch/models": "models/index.ts",
  "cinch/session": "session/index.ts",
  "cinch/testing": "testing.ts",
};

export function publicSurface(modules: Readonly<Record<string, string>> = entries, base = join(root, "src")): string {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const paths = Object.values(modules).map((path) => join(base, path));
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0) throw new Error(`entry points without a module: ${missing.join(", ")}`);
  const program = ts.createProgram(paths, options);
  const checker = program.getTypeChecker();
  return Object.entries(modules)
    .map(([name, path]) => {
      const file = program.getSourceFile(join(base, path));
      const module = file && checker.getSymbolAtLocation(file);
      const symbols = module ? checker.getExportsOfModule(module) : [];
      const lines = symbols.map((symbol) => declarationOf(symbol, checker)).sort();
      return `# ${name}\n\n${lines.join("\n")}\n`;
    })
    .join("\n");
}

function declarationOf(exported: ts.Symbol, checker: ts.TypeChecker): string {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const declaration = symbol.declarations?.[0];
  if (!declaration) throw new Error(`${exported.name} has no declaration`);
  const name = exported.name;
  if (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration)) {
    const text = printer.printNode(ts.EmitHint.Unspecified, declaration, declaration.getSourceFile());
    return `${text.replace(/^export /, "")}${symbol.name === name ? "" : ` as ${name}`}`;
  }
  if (ts.isClassDeclaration(declaration)) return classText(name, declaration, checker);
  return `const ${name}: ${typeText(checker.getTypeOfSymbolAtLocation(symbol, declaration), declaration, checker)}`;
}

function classText(name: string, node: ts.ClassDeclaration, checker: ts.TypeChecker): string {
  const members = node.members
    .filter((member) => !(ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private))
    .filter((member) => !(member.name && ts.isPrivateIdentifier(member.name)))
    .map((member) => memberText(member, checker));
  const heritage = node.heritageClauses?.map((clause) => ` ${clause.getText()}`).join("") ?? "";
  return `class ${name}${heritage} {\n${members.map((member) => `    ${member}`).join("\n")}\n}`;
}

function memberText(member: ts.ClassElement, checker: ts.TypeChecker): string {
  if (ts.isConstructorDeclaration(member)) {
    return `constructor(${member.parameters.map((parameter) => parameter.getText()).join(", ")})`;
  }
  return `${member.name?.getText() ?? "?"}: ${typeText(checker.getTypeAtLocation(member), member, checker)}`;
}

/** Paths of this checkout do not belong in a snapshot. */
function typeText(type: ts.Type, at: ts.Node, checker: ts.TypeChecker): string {
  return checker.typeToString(type, at, signature).replace(/import\("[^"]*"\)\./g, "");
}
