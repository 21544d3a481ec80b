# A reader of session files written from FORMAT.md alone: prints the active path of each file as a line of
# JSON, [[id, type, data], …].  python3 session-reader.py <file>…

import hashlib
import json
import os
import re
import sys

PATH_TYPES = {"prompt", "model", "message", "compaction"}
FRONT = re.compile(
    r'^\{"v":(\d+),"seq":\d+,"id":"([A-Za-z0-9_-]{1,64})","parent":(?:"([A-Za-z0-9_-]{1,64})"|null),"type":"(\w+)",'
)


def chain(previous, body):
    return hashlib.sha256((previous + body).encode("latin-1")).hexdigest()[:16]


def good_lines(text):
    candidates = [""]
    for line in text.split("\n")[:-1]:
        seal = re.search(r',"h":"([0-9a-f]{16})"\}$', line)
        body = line[:-24]
        wanted = [chain(previous, body) for previous in candidates]
        shown = seal.group(1) if seal else None
        if shown in wanted:
            candidates = [shown]
            yield line
        else:
            candidates = [candidates[0]] + ([shown] if shown else []) + wanted


def restored(value, spill):
    if isinstance(value, list):
        return [restored(item, spill) for item in value]
    if not isinstance(value, dict):
        return value
    name = re.fullmatch(r"sha256:([0-9a-f]{64})", str(value.get("spill", "")))
    if name:
        with open(os.path.join(spill, name.group(1)), "rb") as file:
            data = file.read()
        assert hashlib.sha256(data).hexdigest() == name.group(1)
        return data.decode("utf-16le" if value.get("enc") else "utf-8", "surrogatepass")
    return {
        (key[1:] if re.fullmatch(r"~+spill", key) else key): restored(item, spill) for key, item in value.items()
    }


def active_path(file):
    with open(file, encoding="latin-1", newline="") as source:
        text = source.read()
    entries, cut, head = {}, set(), None

    def anchor(entry):
        while entry is not None and entry["type"] not in PATH_TYPES:
            entry = entries.get(entry["parent"])
        return entry

    for line in good_lines(text):
        front = FRONT.match(line)
        if not front:
            continue
        if int(front.group(1)) > 1:
            sys.exit("a newer format")
        entry = json.loads(line)
        if entry["id"] in entries:
            continue
        parent = entry["parent"]
        if parent is not None and (parent not in entries or parent in cut):
            cut.add(entry["id"])
        entries[entry["id"]] = entry
        if entry["id"] in cut:
            continue
        if entry["type"] in PATH_TYPES:
            head = entry
        elif entry["type"] == "head":
            target = entry["data"].get("target")
            if target is None:
                head = None
            elif target in entries and target not in cut:
                head = anchor(entries[target])
    path = []
    while head is not None:
        path.append(head)
        head = anchor(entries.get(head["parent"]))
    return path[::-1]


for name in sys.argv[1:]:
    spill_directory = os.path.join(os.path.dirname(name), "..", "..", "spill")
    path = active_path(name)
    print(json.dumps([[found["id"], found["type"], restored(found["data"], spill_directory)] for found in path]))
