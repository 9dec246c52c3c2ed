#!/usr/bin/env python3
"""Checks that what the documentation tells a reader to run, open or call is there.

    check_docs.py WARPSMITH

Looks at every *.md file below docs/ and in the root: links to files, `./script` and `warpsmith
SUB-COMMAND` in code, `warpsmith call TOOL`, and the README's table of tools. One line per mistake.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
SCRIPT = re.compile(r"(?:^|\s|`)\./([A-Za-z0-9_./-]+)")
SUB_COMMAND = re.compile(r"(?:^|[\s`/])warpsmith (?!-)([a-z]+)\b")
CALL = re.compile(r"warpsmith call ([a-z_]+)")
TOOL_ROW = re.compile(r"^\| `([a-z_]+)` ", re.MULTILINE)


def sub_commands(warpsmith):
    text = subprocess.run([warpsmith, "--help"], capture_output=True, text=True, check=True).stdout
    listed = text.split("Subcommands:")[1]
    # The worker is started by the server only: --help leaves it out.
    return set(re.findall(r"^  ([a-z]+)\b", listed, re.MULTILINE)) | {"worker"}


def errors_in(document, commands, tools):
    text = document.read_text()
    for target in LINK.findall(text):
        if "://" not in target and not (document.parent / target).exists():
            yield f"links to {target}, which is not there"
    for code in CODE.findall(text):
        for script in SCRIPT.findall(code):
            if not (ROOT / script).exists():
                yield f"names ./{script}, which is not there"
        for command in SUB_COMMAND.findall(code):
            if command not in commands:
                yield f"names `warpsmith {command}`, which is no sub-command"
        for tool in CALL.findall(code):
            if tool not in tools:
                yield f"calls {tool}, which is no tool"


def main():
    commands = sub_commands(sys.argv[1])
    tools = {schema.parent.name for schema in ROOT.glob("tools/*/schema.json")}
    documents = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    errors = [f"{document.relative_to(ROOT)} {error}"
              for document in documents for error in errors_in(document, commands, tools)]
    shown = set(TOOL_ROW.findall((ROOT / "README.md").read_text()))
    if shown != tools:
        errors.append(f"README.md has rows for {sorted(shown)}; the tools are {sorted(tools)}")
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
