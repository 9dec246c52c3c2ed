#!/usr/bin/env python3
"""Checks that a folder uses a file-local name once, so that its files can be compiled together.

    check_names.py               the repository
    check_names.py --self-test   that planted mistakes are found

The product's build joins the files of a folder (cmake/WsLibrary.cmake). Two files there that give the
same name to things of their own would clash, or would have written the same thing twice. Exit
status 1 and one line per name when there are any.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("runtime", "tools", "server")

BEGIN = re.compile(r"^namespace \{$")
END = re.compile(r"^\}  // namespace$")
# Declarations begin in the first column; what is indented is inside one.
DECLARED = (
    re.compile(r"^(?:struct|class|enum class|enum|union)(?: alignas\(\w+\))? (\w+)"),
    re.compile(r"^using (\w+) ="),
    # A variable: its name stands before =, [, { or ; and no ( comes earlier.
    re.compile(r"^(?:[\w:<>,*& ]|\[\[\w+\]\])+?[ *&](\w+)(?:\[\w*\])?(?: =|;|\{| \{)"),
    # A function: its name stands before the first (.
    re.compile(r"^(?:[\w:<>,*& .]|\[\[\w+\]\])+?[ *&](\w+)\("),
)


def local_names(text):
    """Names that a file keeps to itself -> how they are declared."""
    names = {}
    inside = False
    for line in text.splitlines():
        if BEGIN.match(line):
            inside = True
        elif END.match(line):
            inside = False
        elif inside and line[:1] not in ("", " ", "/", "#", "}", ")"):
            found = next((m for m in (d.match(line) for d in DECLARED) if m), None)
            if found:
                names[found.group(1)] = line
    return names


def clashes(files):
    """files: path -> text. Yields (folder, name, paths)."""
    users = collections.defaultdict(list)
    for path, text in sorted(files.items()):
        for name, line in local_names(text).items():
            users[(str(pathlib.PurePosixPath(path).parent), name)].append((path, line))
    for (folder, name), uses in sorted(users.items()):
        lines = {line for _, line in uses}
        alias = len(lines) == 1 and lines.pop().startswith(("using ", "namespace "))
        if len(uses) > 1 and not alias:
            yield folder, name, [path for path, _ in uses]


def repository():
    for top in FOLDERS:
        for path in (ROOT / top).rglob("*.cpp"):
            if not path.name.endswith("_test.cpp"):
                yield str(path.relative_to(ROOT)), path.read_text()


def self_test():
    own = "namespace ws {\nnamespace {\n%s\n}  // namespace\n}  // namespace ws\n"
    same = [
        "constexpr int kOne = 1;", "struct Row {\n  int other = 0;\n};", 
        "Result<std::map<int, int>> read(int a,\n                                int b) {\n}",
        "constexpr std::array<int, 2> kTwo = {1, 2};", "const char* name_of(int x) {",
        "thread_local int* t_now = nullptr;", "template <typename T>\nT first(T value) {",
        "constexpr Row kRows[] = {", "enum class Kind : int { kA };", "std::mutex g_lock;",
    ]
    for text in same:
        found = list(clashes({"x/a.cpp": own % text, "x/b.cpp": own % text}))
        assert len(found) == 1, (text, found)
        assert not list(clashes({"x/a.cpp": own % text, "y/a.cpp": own % text})), text
        assert not list(clashes({"x/a.cpp": text, "x/b.cpp": text})), text
    alias = {f"x/{f}.cpp": own % f"using Cells = {of};" for f, of in (("a", "int"), ("b", "char"))}
    assert len(list(clashes(alias))) == 1
    assert not list(clashes({"x/a.cpp": alias["x/a.cpp"], "x/b.cpp": alias["x/a.cpp"]}))


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    found = list(clashes(dict(repository())))
    for folder, name, paths in found:
        files = ", ".join(pathlib.PurePosixPath(p).name for p in paths)
        print(f"{folder}: {name} is a local name of {files}; share it, or name one differently")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
