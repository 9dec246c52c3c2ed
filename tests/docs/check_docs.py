#!/usr/bin/env python3
"""Checks that what documents and comments tell a reader to read, run, open or call is there.

    check_docs.py WARPSMITH
    check_docs.py --self-test   that planted mistakes are found

Looks at every *.md file below docs/ and in the root: links to files, `./script` and `warpsmith
SUB-COMMAND` in code, `warpsmith call TOOL`, the README's table of tools, and the tree of folders in
docs/architecture.md. Looks at comments of C++ files for names of *.md files. One line per mistake.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
SCRIPT = re.compile(r"(?:^|\s|`)\./([A-Za-z0-9_./-]+)(?![\w./*-])")
SUB_COMMAND = re.compile(r"(?:^|[\s`/])warpsmith (?!-)([a-z]+)\b")
CALL = re.compile(r"warpsmith call ([a-z_]+)")
TOOL_ROW = re.compile(r"^\| `([a-z_]+)` ", re.MULTILINE)

# Folders whose C++ files are read.
CODE_FOLDERS = ("runtime", "tools", "server", "tests")
# A comment, or a string or character in which // begins none.
COMMENT = re.compile(r"R\"(\w*)\(.*?\)\1\"|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", re.DOTALL)
NAMED_DOCUMENT = re.compile(r"(?<![\w./<*-])[\w./-]*\w\.md\b")
# Stands for any name.
PLACEHOLDERS = {"NAME.md"}

TREE = re.compile(r"^## Tree\n+```\n(.*?)^```", re.DOTALL | re.MULTILINE)
TREE_FOLDERS = re.compile(r"^( *)((?:[\w-]+/ +)*[\w-]+/)(?: |$)")
# Folders whose parts with sources stand in the tree.
TREE_TOPS = ("runtime", "tools", "server")


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


def comment_errors(root):
    """Documents that comments name by their path from the root, or by a name that some has."""
    known = {path.relative_to(root) for path in root.glob("**/*.md")
             if not path.relative_to(root).parts[0].startswith(("build", "."))}
    names = {path.name for path in known}
    for folder in CODE_FOLDERS:
        for path in sorted((root / folder).glob("**/*")):
            if path.suffix not in (".h", ".cpp", ".def"):
                continue
            text = path.read_text()
            for match in COMMENT.finditer(text):
                if not match[0].startswith("/"):
                    continue
                for name in NAMED_DOCUMENT.findall(match[0]):
                    there = pathlib.PurePosixPath(name) in known if "/" in name else name in names
                    if not there and name not in PLACEHOLDERS:
                        line = text.count("\n", 0, match.start() + match[0].index(name)) + 1
                        yield (f"{path.relative_to(root)}:{line} names {name}, "
                               "which is not in the repository")


def tree_folders(text):
    """The folders of the tree block: {path: the words beside it and below it}."""
    block = TREE.search(text)
    folders = {}
    open_folders = []  # (indent, path, path of the line)
    for line in block[1].splitlines() if block else []:
        match = TREE_FOLDERS.match(line)
        if not match:
            if open_folders:
                folders[open_folders[-1][1]] += " " + line.strip()
            continue
        indent = len(match[1])
        while open_folders and open_folders[-1][0] >= indent:
            open_folders.pop()
        parent = open_folders[-1][1] + "/" if open_folders else ""
        for name in match[2].split():
            path = parent + name.rstrip("/")
            folders[path] = line[match.end():].strip()
        open_folders.append((indent, path))
    return folders


def tree_errors(root):
    folders = tree_folders((root / "docs/architecture.md").read_text())
    if not folders:
        yield "docs/architecture.md has no tree"
    for path in folders:
        if not (root / path).is_dir():
            yield f"docs/architecture.md: the tree has {path}/, which is not there"
    for top in TREE_TOPS:
        with_sources = {source.parent for end in ("h", "cpp") for source in
                        (root / top).glob(f"**/*.{end}")}
        for folder in sorted(with_sources):
            path = folder.relative_to(root)
            beside = folders.get(str(path.parent), "")
            named = re.search(rf"(?<![\w-]){re.escape(path.name)}(?![\w-])", beside)
            one_per_tool = path.parent == pathlib.PurePath("tools") and \
                (folder / "schema.json").exists()
            if str(path) not in folders and not named and not one_per_tool:
                yield f"docs/architecture.md: the tree lacks {path}/, which has sources"


def self_test():
    tree = ("## Tree\n\n```\nruntime/    all of it\n  base/     files\n            and more\n"
            "  compile/  rooms: clang and hip\n    nvrtc/  one\n  gone/     nothing\n"
            "tools/      one folder per tool\ndocs/  cmake/  papers\n```\n")
    files = {
        "docs/architecture.md": tree, "docs/here.md": "", "cmake/x.cmake": "", "build/far.md": "",
        "runtime/base/a.h": "// docs/here.md, here.md and NAME.md are there, far.md is not.\n",
        "runtime/base/b.cpp": 'auto a = "// none.md"; auto b = \'"\'; /* one\n docs/none.md */\n',
        "runtime/compile/a.cpp": "auto s = R\"({\"a://none.md\"})\";\nint a;  ///< See away.md.\n", "runtime/compile/clang/a.h": "",
        "runtime/compile/cubin/a.h": "", "runtime/compile/nvrtc/a.h": "", "runtime/new/a.cpp": "",
        "tools/validate/schema.json": "", "tools/validate/validate.cpp": "", "tools/other/a.cpp": "",
    }
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        found = list(comment_errors(root))
        assert found == [
            "runtime/base/a.h:1 names far.md, which is not in the repository",
            "runtime/base/b.cpp:2 names docs/none.md, which is not in the repository",
            "runtime/compile/a.cpp:2 names away.md, which is not in the repository"], found
        found = list(tree_errors(root))
        assert found == [
            "docs/architecture.md: the tree has runtime/gone/, which is not there",
            "docs/architecture.md: the tree lacks runtime/compile/cubin/, which has sources",
            "docs/architecture.md: the tree lacks runtime/new/, which has sources",
            "docs/architecture.md: the tree lacks tools/other/, which has sources"], found
        (root / "docs/architecture.md").write_text("# Architecture\n")
        assert next(tree_errors(root)) == "docs/architecture.md has no tree"


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    commands = sub_commands(sys.argv[1])
    tools = {schema.parent.name for schema in ROOT.glob("tools/*/schema.json")}
    documents = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    errors = [f"{document.relative_to(ROOT)} {error}"
              for document in documents for error in errors_in(document, commands, tools)]
    shown = set(TOOL_ROW.findall((ROOT / "README.md").read_text()))
    if shown != tools:
        errors.append(f"README.md has rows for {sorted(shown)}; the tools are {sorted(tools)}")
    errors += [*comment_errors(ROOT), *tree_errors(ROOT)]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
