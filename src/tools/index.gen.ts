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
      },
      "terms": {
        "from": "offset",
        "count": "limit"
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
      "salvage": "content",
      "terms": {
        "size": "expected_size"
      }
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
      },
      "terms": {
        "old": "old_string",
        "all": "replace_all"
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
      "name": "start_background_task",
      "verb": "start",
      "alias": "Bash",
      "family": "background",
      "order": 21,
      "effects": [
        "exec",
        "spawn"
      ],
      "needs": [
        "tasks"
      ],
      "description": "Starts work that goes on while you do: kind shell (a bash command, e.g. a server or a long test run; no stdin, output kept from the first byte) or kind agent (agent_name and prompt). Returns its task_id at once; you are told when it ends.",
      "input": {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "shell",
              "agent"
            ]
          },
          "command": {
            "type": "string"
          },
          "cwd": {
            "type": "string"
          },
          "timeout_seconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 604800
          },
          "detach": {
            "description": "Keep running after Cinch has ended; at most 24 h unless timeout_seconds says more.",
            "type": "boolean"
          },
          "agent_name": {
            "type": "string"
          },
          "prompt": {
            "type": "string"
          },
          "model_name": {
            "type": "string"
          },
          "title": {
            "type": "string",
            "maxLength": 120
          },
          "metadata": {
            "type": "object",
            "additionalProperties": {
              "$ref": "#/$defs/__schema0"
            }
          }
        },
        "required": [
          "kind"
        ],
        "$defs": {
          "__schema0": {
            "anyOf": [
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              },
              {
                "type": "null"
              },
              {
                "type": "array",
                "items": {
                  "$ref": "#/$defs/__schema0"
                }
              },
              {
                "type": "object",
                "additionalProperties": {
                  "$ref": "#/$defs/__schema0"
                }
              }
            ]
          }
        }
      }
    },
    () => import("./start-background-task.js"),
  ),
  lazyEntry(
    {
      "name": "list_background_tasks",
      "verb": "watch",
      "alias": null,
      "family": "background",
      "order": 22,
      "effects": [
        "read"
      ],
      "polls": true,
      "needs": [
        "tasks"
      ],
      "description": "Lists your background tasks with task_id, state and exit code, newest first.",
      "input": {
        "type": "object",
        "properties": {
          "state": {
            "type": "string",
            "enum": [
              "queued",
              "running",
              "succeeded",
              "failed",
              "cancelled",
              "interrupted"
            ]
          },
          "all": {
            "description": "Also those of other sessions.",
            "type": "boolean"
          }
        }
      }
    },
    () => import("./list-background-tasks.js"),
  ),
  lazyEntry(
    {
      "name": "wait_background_task",
      "verb": "watch",
      "alias": null,
      "family": "background",
      "order": 23,
      "effects": [
        "read"
      ],
      "polls": true,
      "needs": [
        "tasks"
      ],
      "description": "Waits until a background task has ended, at most timeout_seconds (default 60), and says how. The task goes on if the time is up.",
      "input": {
        "type": "object",
        "properties": {
          "task_id": {
            "type": "string"
          },
          "timeout_seconds": {
            "type": "number",
            "minimum": 0,
            "maximum": 3600
          }
        },
        "required": [
          "task_id"
        ]
      }
    },
    () => import("./wait-background-task.js"),
  ),
  lazyEntry(
    {
      "name": "read_background_task_output",
      "verb": "watch",
      "alias": null,
      "family": "background",
      "order": 24,
      "effects": [
        "read"
      ],
      "polls": true,
      "needs": [
        "tasks"
      ],
      "description": "Reads what a background task has printed, while it runs and afterwards: the last max_chars, or from byte offset on. The reply says where to read on.",
      "input": {
        "type": "object",
        "properties": {
          "task_id": {
            "type": "string"
          },
          "offset": {
            "description": "Byte to begin at; negative counts from the end. Default: the end of the output.",
            "type": "integer"
          },
          "max_chars": {
            "type": "integer",
            "minimum": 1,
            "maximum": 30000
          },
          "wait_seconds": {
            "description": "Wait so long for output behind offset.",
            "type": "number",
            "minimum": 0,
            "maximum": 600
          }
        },
        "required": [
          "task_id"
        ]
      }
    },
    () => import("./read-background-task-output.js"),
  ),
  lazyEntry(
    {
      "name": "cancel_background_task",
      "verb": "cancel",
      "alias": null,
      "family": "background",
      "order": 25,
      "effects": [
        "read"
      ],
      "needs": [
        "tasks"
      ],
      "description": "Ends a background task of yours and everything it started; what it printed is kept.",
      "input": {
        "type": "object",
        "properties": {
          "task_id": {
            "type": "string"
          }
        },
        "required": [
          "task_id"
        ]
      }
    },
    () => import("./cancel-background-task.js"),
  ),
  lazyEntry(
    {
      "name": "submit_agent_tasks",
      "verb": "start",
      "alias": "Agent",
      "family": "agents",
      "order": 31,
      "effects": [
        "spawn"
      ],
      "needs": [
        "tasks"
      ],
      "description": "Gives tasks to other agents, which work on them side by side. Built in: explore (finds out, reads only), implement (one change), review (finds faults, reads only), test (runs tests). An unknown name lists all there are.",
      "input": {
        "type": "object",
        "properties": {
          "tasks": {
            "minItems": 1,
            "maxItems": 100,
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "agent_name": {
                  "type": "string",
                  "minLength": 1
                },
                "prompt": {
                  "type": "string",
                  "minLength": 1,
                  "description": "All it knows: it sees nothing of this conversation."
                },
                "title": {
                  "type": "string"
                },
                "model_name": {
                  "type": "string"
                },
                "timeout_seconds": {
                  "type": "number",
                  "exclusiveMinimum": 0
                },
                "max_turns": {
                  "type": "integer",
                  "minimum": 1
                },
                "max_cost": {
                  "type": "number",
                  "exclusiveMinimum": 0
                },
                "depends_on": {
                  "description": "Ids of tasks, or places in this list from 0.",
                  "type": "array",
                  "items": {
                    "anyOf": [
                      {
                        "type": "string"
                      },
                      {
                        "type": "integer"
                      }
                    ]
                  }
                },
                "output_schema": {
                  "description": "JSON Schema that its answer has to fit.",
                  "type": "object"
                },
                "isolation": {
                  "description": "Work in a copy of the repository; the result is a patch.",
                  "type": "string",
                  "enum": [
                    "worktree"
                  ]
                },
                "labels": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                },
                "metadata": {
                  "type": "object"
                }
              },
              "required": [
                "agent_name",
                "prompt"
              ],
              "additionalProperties": false
            }
          },
          "max_parallel": {
            "description": "1 to 32, default 4",
            "type": "number"
          },
          "wait": {
            "description": "Default true: answer when all have ended.",
            "type": "boolean"
          }
        },
        "required": [
          "tasks"
        ],
        "additionalProperties": false
      }
    },
    () => import("./submit-agent-tasks.js"),
  ),
  lazyEntry(
    {
      "name": "list_agent_tasks",
      "verb": "watch",
      "alias": null,
      "aka": [
        "check_context"
      ],
      "family": "agents",
      "order": 32,
      "effects": [
        "read"
      ],
      "polls": true,
      "needs": [
        "tasks"
      ],
      "description": "Lists the tasks given to agents, newest first, with their states, what agents have announced, and the files they hold.",
      "input": {
        "type": "object",
        "properties": {
          "states": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "queued",
                "running",
                "succeeded",
                "failed",
                "cancelled",
                "interrupted"
              ]
            }
          },
          "label": {
            "type": "string"
          },
          "focus": {
            "description": "Only lines with this text.",
            "type": "string"
          },
          "limit": {
            "description": "Default 50, newest first.",
            "type": "integer",
            "minimum": 1,
            "maximum": 200
          }
        }
      }
    },
    () => import("./list-agent-tasks.js"),
  ),
  lazyEntry(
    {
      "name": "wait_agent_tasks",
      "verb": "watch",
      "alias": null,
      "family": "agents",
      "order": 33,
      "effects": [
        "read"
      ],
      "polls": true,
      "needs": [
        "tasks"
      ],
      "description": "Waits until tasks given to agents have ended, and returns what they answered.",
      "input": {
        "type": "object",
        "properties": {
          "task_ids": {
            "minItems": 1,
            "maxItems": 100,
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          "timeout_seconds": {
            "description": "Without it: until all have ended.",
            "type": "number",
            "minimum": 0
          }
        },
        "required": [
          "task_ids"
        ]
      }
    },
    () => import("./wait-agent-tasks.js"),
  ),
  lazyEntry(
    {
      "name": "cancel_agent_tasks",
      "verb": "cancel",
      "alias": null,
      "family": "agents",
      "order": 34,
      "effects": [
        "spawn"
      ],
      "mayRead": true,
      "needs": [
        "tasks"
      ],
      "description": "Ends tasks given to agents, queued or running; what has ended is unchanged.",
      "input": {
        "type": "object",
        "properties": {
          "task_ids": {
            "minItems": 1,
            "maxItems": 100,
            "type": "array",
            "items": {
              "type": "string"
            }
          }
        },
        "required": [
          "task_ids"
        ]
      }
    },
    () => import("./cancel-agent-tasks.js"),
  ),
  lazyEntry(
    {
      "name": "announce_work",
      "verb": "announce",
      "alias": null,
      "family": "agents",
      "order": 35,
      "effects": [
        "read"
      ],
      "needs": [
        "tasks"
      ],
      "description": "Tells the other agents of this work, those that begin later too, what you have made or what you wait for.",
      "input": {
        "type": "object",
        "properties": {
          "kind": {
            "type": "string",
            "enum": [
              "file_created",
              "endpoint_ready",
              "export_ready",
              "blocked"
            ]
          },
          "text": {
            "type": "string",
            "minLength": 1,
            "maxLength": 300
          }
        },
        "required": [
          "kind",
          "text"
        ]
      }
    },
    () => import("./announce-work.js"),
  ),
  lazyEntry(
    {
      "name": "ask_user",
      "verb": "ask",
      "alias": null,
      "family": "plan",
      "effects": [
        "ask"
      ],
      "needs": [],
      "description": "Asks the user a question and waits for the answer; with answers, they are offered. Only for what you cannot find out.",
      "input": {
        "type": "object",
        "properties": {
          "question": {
            "type": "string",
            "minLength": 1
          },
          "answers": {
            "maxItems": 9,
            "type": "array",
            "items": {
              "type": "string",
              "minLength": 1
            }
          }
        },
        "required": [
          "question"
        ]
      }
    },
    () => import("./ask-user.js"),
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
  lazyEntry(
    {
      "name": "lsp_code_action",
      "verb": "edit",
      "alias": "Edit",
      "family": "lsp",
      "effects": [
        "write"
      ],
      "mayRead": true,
      "needs": [
        "language",
        "files"
      ],
      "description": "Lists or applies what the language server offers at a place: fixes, imports, refactorings.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "line": {
            "type": "integer",
            "minimum": 1
          },
          "column": {
            "type": "integer",
            "minimum": 1
          },
          "symbol": {
            "type": "string",
            "minLength": 1,
            "description": "name, in place of a column"
          },
          "end_line": {
            "type": "integer",
            "minimum": 1
          },
          "end_column": {
            "type": "integer",
            "minimum": 1
          },
          "title": {
            "type": "string",
            "description": "of the action to apply; without it they are listed"
          }
        }
      }
    },
    () => import("./lsp-code-action.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_definition",
      "verb": "search",
      "alias": null,
      "family": "lsp",
      "effects": [
        "read"
      ],
      "needs": [
        "language"
      ],
      "description": "Where a name is defined. Place: path with line and column or symbol, or symbol alone.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "line": {
            "type": "integer",
            "minimum": 1
          },
          "column": {
            "type": "integer",
            "minimum": 1
          },
          "symbol": {
            "type": "string",
            "minLength": 1,
            "description": "name, in place of a column"
          }
        }
      }
    },
    () => import("./lsp-definition.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_diagnostics",
      "verb": "search",
      "alias": null,
      "family": "lsp",
      "effects": [
        "read"
      ],
      "needs": [
        "language"
      ],
      "description": "Errors and warnings of a file as it is now.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "default: all open files"
          }
        }
      }
    },
    () => import("./lsp-diagnostics.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_hover",
      "verb": "search",
      "alias": null,
      "family": "lsp",
      "effects": [
        "read"
      ],
      "needs": [
        "language"
      ],
      "description": "Type and documentation of a name. Place: path with line and column or symbol, or symbol alone.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "line": {
            "type": "integer",
            "minimum": 1
          },
          "column": {
            "type": "integer",
            "minimum": 1
          },
          "symbol": {
            "type": "string",
            "minLength": 1,
            "description": "name, in place of a column"
          }
        }
      }
    },
    () => import("./lsp-hover.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_references",
      "verb": "search",
      "alias": null,
      "family": "lsp",
      "effects": [
        "read"
      ],
      "needs": [
        "language"
      ],
      "description": "All uses of a name, and its declaration. Place: path with line and column or symbol, or symbol alone.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "line": {
            "type": "integer",
            "minimum": 1
          },
          "column": {
            "type": "integer",
            "minimum": 1
          },
          "symbol": {
            "type": "string",
            "minLength": 1,
            "description": "name, in place of a column"
          }
        }
      }
    },
    () => import("./lsp-references.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_rename",
      "verb": "edit",
      "alias": "Edit",
      "family": "lsp",
      "effects": [
        "write"
      ],
      "needs": [
        "language",
        "files"
      ],
      "description": "Renames a symbol in all files. Place: path with line and column or symbol, or symbol alone.",
      "input": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          },
          "line": {
            "type": "integer",
            "minimum": 1
          },
          "column": {
            "type": "integer",
            "minimum": 1
          },
          "symbol": {
            "type": "string",
            "minLength": 1,
            "description": "name, in place of a column"
          },
          "new_name": {
            "type": "string",
            "minLength": 1
          }
        },
        "required": [
          "new_name"
        ]
      }
    },
    () => import("./lsp-rename.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_symbols",
      "verb": "search",
      "alias": null,
      "family": "lsp",
      "effects": [
        "read"
      ],
      "needs": [
        "language"
      ],
      "description": "Outline of a file.",
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
    () => import("./lsp-symbols.js"),
  ),
  lazyEntry(
    {
      "name": "lsp_workspace_symbols",
      "verb": "search",
      "alias": null,
      "family": "lsp",
      "effects": [
        "read"
      ],
      "needs": [
        "language"
      ],
      "description": "Symbols of the project with a name like query.",
      "input": {
        "type": "object",
        "properties": {
          "query": {
            "type": "string",
            "minLength": 1
          }
        },
        "required": [
          "query"
        ]
      }
    },
    () => import("./lsp-workspace-symbols.js"),
  ),
  lazyEntry(
    {
      "name": "update_plan",
      "verb": "plan",
      "alias": null,
      "family": "plan",
      "effects": [
        "read"
      ],
      "needs": [],
      "description": "Shows the user your steps and where you are; give all of them each time. For work of three steps or more.",
      "input": {
        "type": "object",
        "properties": {
          "steps": {
            "minItems": 1,
            "maxItems": 50,
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "text": {
                  "type": "string",
                  "minLength": 1
                },
                "state": {
                  "type": "string",
                  "enum": [
                    "open",
                    "active",
                    "done"
                  ]
                }
              },
              "required": [
                "text",
                "state"
              ]
            }
          }
        },
        "required": [
          "steps"
        ]
      }
    },
    () => import("./update-plan.js"),
  ),
];
