#!/usr/bin/env python3
"""Checks that comments on declarations are sentences with a subject.

    check_comments.py               the repository
    check_comments.py --self-test   that planted mistakes are found

A comment that begins with "Of", "What" or "Who" (`/// Of a kernel that is not indexed.`) leaves out
what it is about, and is read twice. Exit status 1 and one line per comment when there are any.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("runtime", "tools", "server", "tests")
FRAGMENT = re.compile(r"//[/!]?<? ?(Of|What|Who|Whose|Whoever|Whatever) ")


def fragments(text):
    """Numbers of the lines where a comment begins with a fragment. In a block only its first line begins."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        found = FRAGMENT.search(line)
        whole_line = line.lstrip().startswith("//")
        if found and not (whole_line and inside):
            yield number
        inside = whole_line


def repository():
    for top in FOLDERS:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".h", ".cpp", ".def"):
                yield path.relative_to(ROOT), path.read_text()


def self_test():
    found = ["/// Of a kernel.\nint a;", "int a;  ///< What it is.", "  // Who asks is told.",
             "int a;  // Whose turn it is.", "int a;\n// Whatever comes."]
    good = ["/// The size\n/// Of a kernel.", "/// Offers it.", "int a;  ///< The kernel's.",
            "// A comment on\n// What comes next is fine inside a block."]
    assert all(list(fragments(text)) for text in found)
    assert not any(list(fragments(text)) for text in good)
    assert list(fragments("int a;\n\n/// Of b.\nint b;  ///< Of c.")) == [3, 4]


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    wrong = [f"{path}:{number}: a comment that begins with a fragment; say it as a sentence"
             for path, text in repository() for number in fragments(text)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
