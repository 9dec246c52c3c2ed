#!/usr/bin/env python3
"""Checks who may include whom, and where heavy or forbidden things may stand.

    check_includes.py               the repository
    check_includes.py --self-test   that planted mistakes are found

docs/architecture.md explains the layers. Exit status 1 and one line per mistake when there are any.
"""

import fnmatch
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The folders of single tools, which differ from those that tools share by their schema.json.
A_TOOL = "tools/<a tool>"
SHARED_BY_TOOLS = ("answer", "evidence", "kernels", "programs")
SHARED = ", ".join(f"tools/{room}" for room in SHARED_BY_TOOLS)

# Folder -> what its files may include besides the folder itself: folders, or single files where
# one header is the agreed seam. The longest prefix of a file's path is its folder.
LAYERS = {
    "runtime/base": [],
    "runtime/kernel": ["runtime/base"],
    "runtime/queue": ["runtime/base"],
    "runtime/ir/syntax": ["runtime/base"],
    "runtime/ir/diff": ["runtime/base", "runtime/ir/syntax"],
    # Of the kernel's forms, the element types only.
    "runtime/ir/check": ["runtime/base", "runtime/kernel/dtype.h", "runtime/ir/syntax"],
    "runtime/ir/exec": [
        "runtime/base", "runtime/kernel/dtype.h", "runtime/kernel/round_element.h",
        "runtime/kernel/tile_work.h", "runtime/ir/syntax", "runtime/ir/check"],
    "runtime/ir/translation": [
        "runtime/base", "runtime/kernel/dtype.h", "runtime/ir/syntax", "runtime/ir/check",
        "runtime/ir/diff"],
    "runtime/reference": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/device/arena.h",
        "runtime/judge/layout.h", "runtime/ir/syntax", "runtime/ir/check", "runtime/ir/exec",
        "runtime/ir/diff"],
    "runtime/lift/tree": ["runtime/base"],
    "runtime/lift": [
        "runtime/base", "runtime/kernel", "runtime/ir/syntax", "runtime/ir/diff",
        "runtime/lift/tree"],
    "runtime/lift/tile": ["runtime/base", "runtime/kernel", "runtime/ir/syntax"],
    "runtime/search": ["runtime/base"],
    # tokens.h: the host code of other programs is read as tokens.
    "runtime/exchange": ["runtime/base", "runtime/kernel", "runtime/search/tokens.h"],
    "runtime/archive": ["runtime/base", "runtime/kernel", "runtime/search", "runtime/exchange"],
    # The seams of the archive that the broker's tables are in.
    "runtime/broker": [
        "runtime/base", "runtime/archive/store/postgres_store.h", "runtime/archive/store/sqlite.h",
        "runtime/archive/store/notices.h"],
    "runtime/curate": ["runtime/base", "runtime/kernel", "runtime/search"],
    "runtime/judge": ["runtime/base", "runtime/kernel"],
    "runtime/skills": ["runtime/base", "runtime/kernel"],
    "runtime/bench": ["runtime/base", "runtime/kernel"],
    "runtime/tune": ["runtime/base", "runtime/kernel", "runtime/bench", "runtime/exchange"],
    # plugin.h: the names of the plug-ins, whose files are part of the keys of the cache.
    # boundary.h: a place for shared entries is opened with dlopen, by this boundary.
    "runtime/compile": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile/clang/plugin.h",
        "runtime/compile/glslang/plugin.h", "runtime/compile/s3/boundary.h"],
    "runtime/compile/s3": ["runtime/base"],
    "runtime/compile/glslang": ["runtime/base", "runtime/kernel", "runtime/compile"],
    # The plug-in writes the engine's ABI and the names of its functions into machine code.
    "runtime/compile/clang": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/lift/tree",
        "runtime/device/cpu/abi.h", "runtime/device/cpu/imports.h"],
    # abi.h: fault reports name the objects that it numbers.
    "runtime/device": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile",
        "runtime/device/cpu/abi.h"],
    "runtime/profile": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device"],
    "runtime/device/cpu": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device"],
    "runtime/device/cuda": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device"],
    # AMD's runtime stands behind the table of functions that the CUDA backend is made for.
    "runtime/device/hip": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device",
        "runtime/device/cuda"],
    # abi.h: reports name objects as the CPU engine numbers them.
    "runtime/device/vulkan": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device",
        "runtime/device/cuda", "runtime/device/cpu/abi.h"],
    "runtime/device/tile": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device",
        "runtime/reference", "runtime/lift/tile"],
    # plugin.h: the compile worker opens the plug-in with dlopen, by this C boundary.
    "runtime/worker": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device",
        "runtime/device/cpu", "runtime/device/cuda", "runtime/device/hip", "runtime/device/vulkan",
        "runtime/reference", "runtime/compile/clang/plugin.h", "runtime/compile/glslang/plugin.h"],
    "runtime/evaluate": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/judge",
        "runtime/archive"],
    # tokens.h: the functions that a reference calls.
    "runtime/evaluate/validate": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/judge",
        "runtime/archive", "runtime/reference", "runtime/evaluate", "runtime/search/tokens.h"],
    "runtime/evaluate/admission": [
        "runtime/base", "runtime/kernel", "runtime/device", "runtime/judge", "runtime/archive",
        "runtime/evaluate", "runtime/evaluate/validate"],
    # tile_image.h: the programs of two kernels of tiles are compared where their outputs differ.
    "runtime/evaluate/binding": [
        "runtime/base", "runtime/kernel", "runtime/device", "runtime/evaluate",
        "runtime/evaluate/validate", "runtime/ir/syntax", "runtime/ir/check", "runtime/ir/translation",
        "runtime/device/tile/tile_image.h"],
    "runtime/evaluate/measure": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/judge",
        "runtime/archive", "runtime/bench", "runtime/evaluate"],
    # arch.h: what occupancy a kernel reaches on the GPU that is modelled.
    "runtime/evaluate/modelled": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/judge",
        "runtime/archive", "runtime/profile", "runtime/evaluate", "runtime/evaluate/measure",
        "runtime/device/cuda/arch.h"],
    # The backends' own headers: their list is in services.cpp.
    "runtime/session": [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device",
        "runtime/archive", "runtime/broker", "runtime/skills", "runtime/reference",
        "runtime/evaluate/admission",
        "runtime/evaluate/measure", "runtime/device/cpu/cpu_backend.h", "runtime/device/cuda/cuda_backend.h",
        "runtime/device/cuda/offline_backend.h", "runtime/device/hip/hip_backend.h",
        "runtime/device/tile/tile_backend.h", "runtime/device/tile/triton_compiler.h",
        "runtime/device/vulkan/vulkan_backend.h"],
    "runtime/lineage": [
        "runtime/base", "runtime/kernel", "runtime/search", "runtime/archive", "runtime/skills",
        "runtime/evaluate"],
    # tolerance.h, fills.h: the program that is handed over draws and compares as the judge does.
    # shims.h: the headers that NVRTC lacks, for a file of CuPy, which compiles by NVRTC.
    "runtime/handover": [
        "runtime/base", "runtime/kernel", "runtime/judge", "runtime/exchange",
        "runtime/compile/nvrtc/shims.h"],
    # services.h: all tools are made from one list.
    "tools": ["runtime/base", "runtime/session/services.h"],
    "tools/answer": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/queue",
        "runtime/archive", "runtime/evaluate", "runtime/session", "tools"],
    "tools/evidence": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/judge",
        "runtime/archive", "runtime/search", "runtime/evaluate", "runtime/evaluate/validate",
        "runtime/evaluate/measure", "runtime/session", "tools", "tools/answer"],
    # arch.h: a compile says what occupancy a kernel reaches, with or without a device.
    # tile_image.h: a compiled kernel of tiles has its lifted program in it.
    "tools/kernels": [
        "runtime/base", "runtime/kernel", "runtime/compile", "runtime/device", "runtime/judge",
        "runtime/archive", "runtime/search", "runtime/skills", "runtime/lift", "runtime/lift/tree",
        "runtime/evaluate", "runtime/evaluate/validate", "runtime/session", "runtime/lineage",
        "tools", "tools/answer", "tools/evidence", "runtime/device/cuda/arch.h",
        "runtime/device/tile/tile_image.h"],
    "tools/programs": [
        "runtime/base", "runtime/kernel", "runtime/device", "runtime/judge", "runtime/archive",
        "runtime/reference", "runtime/evaluate", "runtime/evaluate/validate", "runtime/session",
        "tools", "tools/answer", "tools/evidence", "tools/kernels"],
    # operations.h: lift_to_ir tells search what the program computes.
    # arch.h: compile_kernel says what occupancy a kernel reaches, with or without a device.
    A_TOOL: [
        "runtime/base", "runtime/kernel", "runtime/queue", "runtime/compile", "runtime/device",
        "runtime/judge", "runtime/bench", "runtime/profile", "runtime/tune", "runtime/search",
        "runtime/archive", "runtime/reference", "runtime/skills", "runtime/lift",
        "runtime/lift/tree", "runtime/ir/diff/operations.h", "runtime/device/cuda/arch.h",
        "runtime/evaluate", "runtime/evaluate/validate", "runtime/evaluate/measure",
        "runtime/evaluate/modelled", "runtime/evaluate/binding",
        "runtime/session", "runtime/lineage", "runtime/handover", "tools", "tools/answer",
        "tools/evidence", "tools/kernels", "tools/programs"],
    # What all of its rooms use: no protocol, no tool.
    "server": ["runtime/base"],
    "server/access": ["runtime/base"],
    "server/protocol": ["runtime/base", "tools", "server", "server/access"],
    "server/transport": ["runtime/base", "server", "server/access", "server/protocol"],
    # run_worker.h: main.cpp is the worker's executable too. The other headers of runtime: doctor asks
    # each part what is here, and commands work on archives and logs without a server.
    "server/operate": [
        "runtime/base", "runtime/queue", "runtime/compile/store_folder.h", "runtime/session",
        "runtime/archive/store/usage.h", "server", "server/access",
        "server/protocol", "server/transport/operator_pages.h"],
    # It is a server without a protocol: what the broker has for it are calls of tools.
    "server/node": [
        "runtime/base", "runtime/broker", "runtime/session", "tools", "tools/answer"],
    # kernel_page.h and call_again.h: a kernel as a page without scripts, and how to measure again.
    # store_folder.h: how much the compile cache holds.
    "server/picture": [
        "runtime/base", "tools", "server", "server/protocol"],
    "server/page": [
        "runtime/base", "runtime/archive", "runtime/search", "runtime/lineage/kernel_page.h",
        "runtime/lineage/call_again.h", "runtime/lineage/svg.h", "runtime/compile/store.h",
        "runtime/compile/store_folder.h", "server", "server/access",
        "server/protocol", "server/transport"],
    "server/look": [
        "runtime/base", "runtime/archive/search/listing.h", "runtime/archive/search/kernel_family.h",
        "runtime/search", "server", "server/protocol", "server/page/page_forms.h"],
    "server/cli": [
        "runtime/base", "runtime/kernel", "runtime/session", "runtime/lineage", "tools",
        "tools/kernels", "server", "server/access", "server/protocol", "server/transport", "server/operate", "server/page", "server/picture",
        "server/look", "server/node", "runtime/broker", "runtime/archive/store/node_revocation.h",
        "runtime/archive/store/node_roles.h",
        "runtime/worker/run_worker.h", "runtime/archive/store/archive.h", "runtime/archive/store/counted_file.h", "runtime/tune/journal.h",
        "runtime/archive/store/schema.h", "runtime/archive/store/usage.h",
        "runtime/archive/move/archive_move.h", "runtime/archive/store/archive_folder.h", "runtime/archive/store/archive_place.h",
        "runtime/archive/store/line_store.h", "runtime/archive/store/postgres_store.h", "runtime/archive/store/restore.h",
        "runtime/archive/store/upgrade.h", "runtime/archive/transfer/transfer.h",
        "runtime/exchange", "runtime/curate/curate.h", "runtime/tune/t4_results.h", "runtime/tune/kernel_tuner.h",
        "runtime/tune/t1_kernel.h",
        "runtime/compile/clang/plugin.h", "runtime/compile/store.h",
        "runtime/compile/bucket_entries.h", "runtime/compile/bucket_url.h", "runtime/compile/s3/boundary.h",
        "runtime/compile/folder_entries.h", "runtime/compile/paused_entries.h",
        "runtime/compile/store_folder.h", "runtime/compile/toolkit.h",
        "runtime/compile/gpu_libraries.h", "runtime/compile/nvrtc_service.h", "runtime/compile/hip_kit.h",
        "runtime/compile/hip_service.h", "runtime/compile/triton_service.h",
        "runtime/compile/shader_service.h", "runtime/device/vulkan/vulkan_backend.h",
        "runtime/reference/module_import.h", "runtime/reference/solution_reader.h",
        "runtime/device/cpu/cpu_backend.h",
        "runtime/device/cpu/sandbox.h", "runtime/device/cuda/cuda_backend.h",
        "runtime/device/hip/hip_backend.h"],
}

TESTS = ["tests/*", "*_test.cpp", "*/test_*.h"]

# Include (a pattern) -> files that may have it. Heavy, or a dependency that must stay replaceable.
FENCED = {
    "httplib.h": ["server/cli/http_post.cpp"],
    "zlib.h": ["server/transport/http_reply.cpp", *TESTS],
    "curl/*": ["runtime/compile/s3/*"],
    "gd.h": ["server/picture/raster.cpp", *TESTS],
    "gdfont*.h": ["server/picture/raster.cpp"],
    "CLI/*": ["server/cli/main.cpp", "server/cli/*_options.cpp"],
    "sqlite3.h": ["runtime/archive/*"],
    "toml++/*": ["server/cli/settings.cpp", "server/access/principals_toml.h", *TESTS],
    "valijson/*": ["tools/*", *TESTS],
    "cjose/*": ["server/access/jose.cpp"],
    "openssl/*": ["runtime/base/hash.cpp", "runtime/base/hmac.cpp", "runtime/base/keyed_stream.cpp", "server/access/edwards_key.cpp", "server/transport/tls_*",
                  "server/access/jose.cpp",
                  *TESTS],
    "xxhash.h": ["runtime/base/hash.cpp"],
    "seccomp.h": ["runtime/device/cpu/*", "runtime/device/cuda/worker/*",
                  "runtime/device/cuda/torch/confinement.cpp"],
    "linux/landlock.h": ["runtime/device/cpu/*", "runtime/queue/file_rules.cpp"],
    "llvm/*": ["runtime/compile/clang/*"],
    "clang/*": ["runtime/compile/clang/*"],
    "glslang/*": ["runtime/compile/glslang/*"],
    "spirv-tools/*": ["runtime/compile/glslang/*"],
    "vulkan/*": ["runtime/device/vulkan/worker/*", "tests/support/fake_vulkan/*"],
    "nlohmann/json.hpp": [
        "server/*", "tools/*", "runtime/*.cpp", "runtime/compile/image_json.h",
        # Its steps hold arguments of tools, as they are sent.
        "runtime/lineage/workflow_script.h", *TESTS],
    "doctest/*": TESTS,
    "tests/*": TESTS,
    "*/test_*.h": TESTS,
}

# Text -> name, files that may have it.
BANNED = [
    (re.compile(r"std::(cout|cerr|clog)\b|\bv?f?printf\s*\(|\b(fputs|puts|putchar|fwrite)\s*\("),
     "prints: only the logger and the command line's own output may",
     ["runtime/base/log.cpp", "server/cli/main.cpp", "server/cli/*_command.cpp", "server/cli/demo*.cpp",
      "runtime/lift/tile/api.def", *TESTS]),
    (re.compile(r"\b(secure_)?getenv\s*\("),
     "reads the environment: only server/cli/main.cpp may",
     ["server/cli/main.cpp", *TESTS]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT = re.compile(r"//.*")
# Device source that is embedded as text.
SKIPPED = "runtime/compile/clang/headers/*"


def matches(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def folder_of(path):
    """The longest layer that holds `path`, or None."""
    if is_tool(path):
        return A_TOOL
    holders = [layer for layer in LAYERS if path.startswith(layer + "/")]
    return max(holders, key=len, default=None)


def is_tool(path):
    """tools/<name>/...: a single tool, that no other may lean on."""
    parts = path.split("/")
    return parts[0] == "tools" and len(parts) > 2 and parts[1] not in SHARED_BY_TOOLS


def include_error(path, quoted, target):
    """Why the file at `path` may not include `target`, or None."""
    for pattern, allowed in FENCED.items():
        if fnmatch.fnmatchcase(target, pattern) and not matches(path, allowed):
            return f"may not include {target}: its place is {', '.join(allowed)}"
    if not quoted or matches(path, TESTS):
        return None
    if path == "tools/all_tools.cpp":
        return None
    source, layer = folder_of(path), folder_of(target)
    if layer is None:
        return f"includes {target}: write the path from the repository's root"
    if layer != source and layer not in LAYERS[source] and target not in LAYERS[source]:
        return f"may not include {target}: {source} does not lie above {layer}"
    if is_tool(target) and path.split("/")[:2] != target.split("/")[:2]:
        return f"may not include {target}: what tools share lies in {SHARED}"
    return None


def cycle_in(layers):
    """Folders each of which may include the next, the first again at the end; [] where none is."""
    def from_here(folder, way):
        if folder in way:
            return way[way.index(folder):] + [folder]
        below = (seam for seam in layers.get(folder, []) if not seam.endswith(".h"))
        return next(filter(None, (from_here(seam, way + [folder]) for seam in below)), [])

    return next(filter(None, (from_here(folder, []) for folder in layers)), [])


def errors_in(path, text):
    for number, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        error = include_error(path, found[1] == '"', found[2]) if found else None
        if error:
            yield f"{path}:{number}: {error}"
        code = COMMENT.sub("", line)
        for pattern, what, allowed in BANNED:
            if pattern.search(code) and not matches(path, allowed):
                yield f"{path}:{number}: {what}"


def check(root):
    """All errors of the sources below `root`, and how many files there are."""
    errors, count = [], 0
    if cycle := cycle_in(LAYERS):
        errors.append("LAYERS has a cycle: " + ", ".join(cycle))
    for top in ("runtime", "tools", "server", "tests"):
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in (".h", ".cpp", ".def") or fnmatch.fnmatchcase(path, SKIPPED):
                continue
            count += 1
            errors += errors_in(path, file.read_text())
    return errors, count


# (file, its text, the error or None)
PLANTED = [
    ("runtime/base/a.h", '#include "runtime/kernel/plan/plan.h"',
     "runtime/base/a.h:1: may not include runtime/kernel/plan/plan.h: "
     "runtime/base does not lie above runtime/kernel"),
    ("runtime/judge/b.cpp", '\n#include "runtime/archive/store/archive.h"',
     "runtime/judge/b.cpp:2: may not include runtime/archive/store/archive.h: "
     "runtime/judge does not lie above runtime/archive"),
    ("tools/tool_a/c.cpp", '#include "server/protocol/message.h"',
     "tools/tool_a/c.cpp:1: may not include server/protocol/message.h: "
     "tools/<a tool> does not lie above server/protocol"),
    ("tools/tool_a/d.cpp", '#include "tools/tool_b/d.h"',
     "tools/tool_a/d.cpp:1: may not include tools/tool_b/d.h: "
     "what tools share lies in tools/answer, tools/evidence, tools/kernels, tools/programs"),
    ("server/e.cpp", '#include "message.h"',
     "server/e.cpp:1: includes message.h: write the path from the repository's root"),
    ("server/f.cpp", "#include <httplib.h>",
     "server/f.cpp:1: may not include httplib.h: its place is server/cli/http_post.cpp"),
    ("tools/g.cpp", "#include <sqlite3.h>",
     "tools/g.cpp:1: may not include sqlite3.h: its place is runtime/archive/*"),
    ("runtime/compile/h.cpp", "#include <llvm/IR/Module.h>",
     "runtime/compile/h.cpp:1: may not include llvm/IR/Module.h: "
     "its place is runtime/compile/clang/*"),
    ("runtime/kernel/i.h", "#include <nlohmann/json.hpp>",
     "runtime/kernel/i.h:1: may not include nlohmann/json.hpp: its place is server/*, tools/*, "
     "runtime/*.cpp, runtime/compile/image_json.h, runtime/lineage/workflow_script.h, "
     "tests/*, *_test.cpp, */test_*.h"),
    ("runtime/compile/clang/j.cpp", '#include "runtime/device/cpu/loader.h"',
     "runtime/compile/clang/j.cpp:1: may not include runtime/device/cpu/loader.h: "
     "runtime/compile/clang does not lie above runtime/device/cpu"),
    ("runtime/queue/k.cpp", "  std::cout << 1;",
     "runtime/queue/k.cpp:1: prints: only the logger and the command line's own output may"),
    ("tools/l.cpp", '  std::printf("x");',
     "tools/l.cpp:1: prints: only the logger and the command line's own output may"),
    ("runtime/base/m.cpp", '  std::getenv("HOME");',
     "runtime/base/m.cpp:1: reads the environment: only server/cli/main.cpp may"),
    ("server/n.cpp", '#include "tests/support/child.h"',
     "server/n.cpp:1: may not include tests/support/child.h: its place is tests/*, *_test.cpp, "
     "*/test_*.h"),
    ("tools/o.cpp", '#include "tools/test_o.h"',
     "tools/o.cpp:1: may not include tools/test_o.h: its place is tests/*, *_test.cpp, */test_*.h"),
    ("runtime/base/ok.cpp", '#include <string>\n  std::snprintf(a, b); copy_outputs(); // puts(',
     None),
    ("runtime/kernel/ok.cpp", '#include <nlohmann/json.hpp>\n#include "runtime/base/result.h"',
     None),
    ("runtime/kernel/ok_test.cpp", '#include "tests/support/child.h"', None),
    ("tools/all_tools.cpp", '#include "tools/tool_a/c.h"', None),
    ("runtime/compile/clang/ok.cpp", '#include "runtime/device/cpu/abi.h"', None),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text, _ in PLANTED:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text + "\n")
        found, count = check(root)
    wanted = [error for _, _, error in PLANTED if error]
    wrong = [f"not found: {error}" for error in wanted if error not in found]
    wrong += [f"found by mistake: {error}" for error in found if error not in wanted]
    planted = {"a": ["b", "c.h"], "b": ["c"], "c": ["b"]}
    if cycle_in(planted) != ["b", "c", "b"]:
        wrong.append(f"of a planted cycle this was found: {cycle_in(planted)}")
    if count != len(PLANTED):
        wrong.append(f"looked at {count} of {len(PLANTED)} files")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        errors = self_test()
    else:
        errors, count = check(ROOT)
        if count == 0:
            errors = ["no sources were found"]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
