#!/bin/sh
# PreToolUse, matcher Edit|Write: files that nobody edits by hand.
# Written for Claude Code: reads tool_input.file_path, exit 2 blocks, stderr goes to the model.
input=$(cat)
file=$(printf '%s' "$input" | sed -n 's/.*"file_path":"\([^"]*\)".*/\1/p')
for pattern in .env package-lock.json .git/; do
  case $file in
    *"$pattern"*)
      echo "Blocked: $file matches protected pattern '$pattern'" >&2
      exit 2
      ;;
  esac
done
exit 0
