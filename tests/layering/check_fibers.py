#!/usr/bin/env python3
"""Checks that CMakeLists.txt lists every file of the CPU engine that runs on a fiber's stack.

Those are compiled without AddressSanitizer, which does not know such stacks. They define functions
that compiled kernels call, or members of the classes that those functions use.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "runtime/device/cpu"
CLASSES = "BlockRunner|RaceWatch|KnownEvents|AccessHistory|WarpProfiler|WarpView"
ON_FIBERS = re.compile(rf"^\S.*\b(?:{CLASSES})::\w+\(|^\S.*\bws_rt_\w+\(|\bws_switch_stack\(",
                       re.MULTILINE)


def runs_on_fibers(text):
    return ON_FIBERS.search(text) is not None


def listed(cmake):
    """The names in the loop that turns AddressSanitizer off."""
    loop = re.search(r"foreach\(name\s+([^)]*)\)\s*set_source_files_properties\(" + FOLDER, cmake)
    return set(loop.group(1).split()) if loop else set()


def missing(cmake, sources):
    names = listed(cmake)
    return [name for name, text in sources if runs_on_fibers(text) and name not in names]


def self_test():
    loop = f"foreach(name\n a races/b)\n set_source_files_properties({FOLDER}/${{name}}.cpp"
    call = "std::uint32_t BlockRunner::barrier(int mode) {"
    assert missing(loop, [("a", call), ("races/b", call), ("c", call)]) == ["c"]
    assert missing(loop, [("c", "float ws_rt_rounded(int a) {")]) == ["c"]
    assert missing(loop, [("c", "  runner.go_on();  // BlockRunner::go_on() comes back")]) == []


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    folder = ROOT / FOLDER
    sources = [(path.relative_to(folder).with_suffix("").as_posix(), path.read_text())
               for path in sorted(folder.rglob("*.cpp")) if not path.name.endswith("_test.cpp")]
    found = missing((ROOT / "CMakeLists.txt").read_text(), sources)
    for name in found:
        print(f"{FOLDER}/{name}.cpp runs on the stacks of fibers: list it in CMakeLists.txt with "
              "the files that are compiled without AddressSanitizer")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
