#!/usr/bin/env node
// PostToolUse (Write|Edit): trims blanks at line ends. UserPromptSubmit: tells the branch. Written for Claude Code.
import { readFileSync, writeFileSync } from "node:fs";

const data = JSON.parse(readFileSync(0, "utf8"));

if (data.hook_event_name === "UserPromptSubmit") {
  const additionalContext = `Branch: main. Project: ${process.env.CLAUDE_PROJECT_DIR}`;
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext } }));
}

if (data.hook_event_name === "PostToolUse" && data.tool_response.success) {
  const path = data.tool_input.file_path;
  const text = readFileSync(path, "utf8");
  const trimmed = text.replace(/[ \t]+$/gm, "");
  if (trimmed !== text) {
    writeFileSync(path, trimmed);
    console.log(JSON.stringify({ decision: "block", reason: "Blanks at line ends were removed." }));
  }
}
