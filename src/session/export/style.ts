// How an exported page looks: the reader's own fonts and colour scheme, one column, nothing loaded.

export const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h3 { margin: 0; font-size: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
article { border-left: 3px solid #8886; margin: 1rem 0; padding: 0 0 0 .8rem; }
article.user { border-color: #2a6fdb; }
article.agent { border-color: #2d8a4e; }
article.call { margin-left: 1.5rem; }
article.failed { border-color: #c0392b; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.about, .remark { opacity: .75; font-size: .85rem; margin: 0; font-weight: 400; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.4 ui-monospace, monospace; margin: .3rem 0; }
.add { background: #2d8a4e33; }
.del { background: #c0392b33; }
.at { opacity: .7; }
img { max-width: 100%; }
nav ul { list-style: none; padding: 0; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884; }
`;
