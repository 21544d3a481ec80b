// Generated from the files of this folder by `npm run manifest`. Do not edit.

import type { ToolEntry } from "../core/tool.js";
import { lazyEntry } from "./parts/entry.js";

export const builtinTools: readonly ToolEntry[] = [
  lazyEntry(
    {
      "name": "read_file",
      "verb": "read",
      "alias": "Read",
      "family": "core",
      "order": 1,
      "effects": [
        "read"
      ],
      "needs": [
        "files"
      ],
      "description": "Reads a text file as numbered lines. Read a file before you edit it.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "offset": {
            "type": "integer",
            "minimum": 1,
            "description": "first line"
          },
          "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "lines"
          }
        },
        "required": [
          "path"
        ]
      }
    },
    () => import("./read-file.js"),
  ),
  lazyEntry(
    {
      "name": "write_file",
      "verb": "create",
      "alias": "Write",
      "family": "core",
      "order": 2,
      "effects": [
        "write"
      ],
      "needs": [
        "files"
      ],
      "description": "Creates a file with its whole content; never leave parts out behind a comment. Existing files are not overwritten: edit them or append, or to rewrite one delete it first. Write a long file in pieces: create it with the first, append the rest.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "content": {
            "type": "string"
          },
          "ref": {
            "type": "string",
            "description": "instead of content: what a refusal kept"
          }
        },
        "required": [
          "path"
        ]
      },
      "salvage": "content"
    },
    () => import("./write-file.js"),
  ),
  lazyEntry(
    {
      "name": "append_file",
      "verb": "append",
      "alias": "Write",
      "family": "core",
      "order": 3,
      "effects": [
        "write"
      ],
      "needs": [
        "files"
      ],
      "description": "Adds text to the end of a file, for files too long for one call. End each piece with a whole line.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "content": {
            "type": "string"
          },
          "expected_size": {
            "type": "integer",
            "minimum": 0,
            "description": "bytes it must have now"
          }
        },
        "required": [
          "path",
          "content"
        ]
      },
      "salvage": "content"
    },
    () => import("./append-file.js"),
  ),
  lazyEntry(
    {
      "name": "edit_file",
      "verb": "edit",
      "alias": "Edit",
      "family": "core",
      "order": 4,
      "effects": [
        "write"
      ],
      "needs": [
        "files"
      ],
      "description": "Replaces exact text in a file you have read. old_string must occur once, so take in lines around it, or set replace_all. Copy it without line numbers.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "old_string": {
            "type": "string"
          },
          "new_string": {
            "type": "string"
          },
          "replace_all": {
            "type": "boolean"
          },
          "edits": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "old_string": {
                  "type": "string"
                },
                "new_string": {
                  "type": "string"
                },
                "replace_all": {
                  "type": "boolean"
                }
              },
              "required": [
                "old_string",
                "new_string"
              ]
            },
            "description": "instead of old_string: several, all or none"
          }
        },
        "required": [
          "path"
        ]
      }
    },
    () => import("./edit-file.js"),
  ),
  lazyEntry(
    {
      "name": "delete_file",
      "verb": "delete",
      "alias": "Write",
      "family": "core",
      "order": 5,
      "effects": [
        "write"
      ],
      "needs": [
        "files"
      ],
      "description": "Deletes a file.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          }
        },
        "required": [
          "path"
        ]
      }
    },
    () => import("./delete-file.js"),
  ),
  lazyEntry(
    {
      "name": "list_files",
      "verb": "list",
      "alias": "LS",
      "family": "core",
      "order": 6,
      "effects": [
        "read"
      ],
      "needs": [
        "search"
      ],
      "description": "Lists a directory, honouring .gitignore.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          }
        }
      }
    },
    () => import("./list-files.js"),
  ),
  lazyEntry(
    {
      "name": "find_files",
      "verb": "find",
      "alias": "Glob",
      "family": "core",
      "order": 7,
      "effects": [
        "read"
      ],
      "needs": [
        "search"
      ],
      "description": "Finds files by glob (**/*.ts), newest first.",
      "input": {
        "type": "object",
        "properties": {
          "glob": {
            "type": "string"
          },
          "path": {
            "type": "string"
          }
        },
        "required": [
          "glob"
        ]
      }
    },
    () => import("./find-files.js"),
  ),
  lazyEntry(
    {
      "name": "search_text",
      "verb": "search",
      "alias": "Grep",
      "family": "core",
      "order": 8,
      "effects": [
        "read"
      ],
      "needs": [
        "search"
      ],
      "description": "Searches file contents with a Rust regex.",
      "input": {
        "type": "object",
        "properties": {
          "pattern": {
            "type": "string"
          },
          "path": {
            "type": "string"
          },
          "glob": {
            "type": "string"
          },
          "ignore_case": {
            "type": "boolean"
          }
        },
        "required": [
          "pattern"
        ]
      }
    },
    () => import("./search-text.js"),
  ),
  lazyEntry(
    {
      "name": "run_command",
      "verb": "run",
      "alias": "Bash",
      "family": "core",
      "order": 9,
      "effects": [
        "exec"
      ],
      "mayRead": true,
      "needs": [
        "shell"
      ],
      "description": "Runs a bash command in the project, without stdin, for at most 120 s by default; processes left behind are ended. To read, search or change files prefer the tools above.",
      "input": {
        "type": "object",
        "properties": {
          "command": {
            "type": "string",
            "minLength": 1
          },
          "timeout_seconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 600
          },
          "cwd": {
            "type": "string"
          }
        },
        "required": [
          "command"
        ]
      }
    },
    () => import("./run-command.js"),
  ),
  lazyEntry(
    {
      "name": "use_tool",
      "verb": "door",
      "alias": null,
      "family": "core",
      "order": 10,
      "effects": [
        "read"
      ],
      "needs": [
        "catalog"
      ],
      "description": "Calls a further tool by name; without input, shows its schema.",
      "input": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string"
          },
          "input": {
            "type": "object"
          }
        },
        "required": [
          "name"
        ]
      }
    },
    () => import("./use-tool.js"),
  ),
  lazyEntry(
    {
      "name": "claim_files",
      "verb": "claim",
      "alias": null,
      "family": "claims",
      "effects": [
        "read"
      ],
      "needs": [
        "claims"
      ],
      "description": "Keeps other agents from changing these files until you release them (release: true) or the session ends; all or none. A file you change is yours for the run without this.",
      "input": {
        "type": "object",
        "properties": {
          "paths": {
            "minItems": 1,
            "maxItems": 100,
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "release": {
            "type": "boolean"
          }
        },
        "required": [
          "paths"
        ]
      }
    },
    () => import("./claim-files.js"),
  ),
];
