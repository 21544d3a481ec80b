import {Parser,Language} from "web-tree-sitter"; import {createRequire} from "node:module";
await Parser.init(); const r=createRequire("/tmp/w/command/src/x.js").resolve;
const p=new Parser(); p.setLanguage(await Language.load(r("@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm")));
for(const c of process.argv.slice(2)){const t=p.parse(c); 
 const show=(n,d)=>{console.log(" ".repeat(d*2)+(n.isNamed?n.type:JSON.stringify(n.type))+(n.isMissing?" MISSING":"")+(n.childCount?"":" «"+n.text+"»")); for(const k of n.children) show(k,d+1)};
 console.log("== "+JSON.stringify(c)+(t.rootNode.hasError?" ERROR":"")); show(t.rootNode,0);}
