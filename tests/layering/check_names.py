#!/usr/bin/env python3
"""Checks that no two things have one name.

    check_names.py               the repository
    check_names.py --self-test   that planted mistakes are found

A folder uses a file-local name once: the product's build joins the files of a folder
(cmake/WsLibrary.cmake), where two would clash, or somebody wrote the same thing twice. A type that
other files may use has a name of its own in its namespace: two with different layouts in one binary
are undefined behaviour, and no linker says so. Exit status 1 and one line per name when there are any.
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


NAMESPACE = re.compile(r"^namespace ([\w:]*) ?\{$")
NAMESPACE_END = re.compile(r"^\}  // namespace")
# A definition in the first column. A line that ends with ; declares the type only.
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union)(?: alignas\(\w+\))? (\w+)(?![\w:]*::)\b[^;]*$")


def exported_types(text):
    """The types that a file defines for others, with their namespaces: "ws::cuda::Driver"."""
    spaces = []
    for line in text.splitlines():
        if opened := NAMESPACE.match(line):
            spaces.append(opened.group(1))
        elif NAMESPACE_END.match(line):
            spaces.pop()
        elif "" not in spaces and (found := TYPE.match(line)):
            yield "::".join(spaces + [found.group(1)])


def doubles(files):
    """files: path -> text. Yields (type, paths)."""
    places = collections.defaultdict(list)
    for path, text in sorted(files.items()):
        for name in exported_types(text):
            places[name].append(path)
    yield from sorted((name, paths) for name, paths in places.items() if len(paths) > 1)


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


# What a kernel includes is compiled for the kernel, never into the product.
FOR_KERNELS = "runtime/compile/clang/headers/"


def repository():
    for top in FOLDERS:
        for path in (ROOT / top).rglob("*.*"):
            name = str(path.relative_to(ROOT))
            if path.suffix in (".h", ".cpp") and not name.startswith(FOR_KERNELS):
                yield name, path.read_text()


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
    row = "struct Row {\n  int a;\n};"
    one = "namespace ws {\n%s\n}  // namespace ws\n"
    other = "namespace ws::cpu {\n%s\n}  // namespace ws::cpu\n"
    assert list(doubles({"x/a.h": one % row, "y/b.cpp": one % row})) == [
        ("ws::Row", ["x/a.h", "y/b.cpp"])]
    nested = "namespace ws {\n" + other.replace("ws::cpu", "cpu") % row + "}  // namespace ws\n"
    assert list(doubles({"x/a.h": other % row, "y/b.h": nested}))
    for text in (other % row, one % "struct Row;", own % row, one % "  struct Row {"):
        assert not list(doubles({"x/a.h": one % row, "y/b.h": text})), text


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    files = dict(repository())
    found = list(clashes({path: text for path, text in files.items()
                          if path.endswith(".cpp") and not path.endswith("_test.cpp")}))
    double = list(doubles(files))
    for folder, name, paths in found:
        files = ", ".join(pathlib.PurePosixPath(p).name for p in paths)
        print(f"{folder}: {name} is a local name of {files}; share it, or name one differently")
    for name, paths in double:
        print(f"{name} is defined in {' and '.join(paths)}; name one differently")
    return 1 if found or double else 0


if __name__ == "__main__":
    sys.exit(main())
