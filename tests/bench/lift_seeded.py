#!/usr/bin/env python3
"""Whether one call of verify_ir, with nothing but the problem, finds the mistakes of tests/lift/seeded.

    tests/bench/lift_seeded.py WARPSMITH

Each mistake is planted in its kernel of examples/kernels, the kernel is lifted, and verify_ir is
called with the program and the problem's id alone (mode race_only where the program has holes); then
the kernels as they are, which must stay silent. Prints a row for each: the verdict, the workload on
which it was found, "small" for the first one, and the seconds of that call. Standard library only.
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from base import ROOT, Server  # noqa: E402


def verified(server, name, edits):
    """The answer of verify_ir and its milliseconds."""
    kernel_path = ROOT / "examples/kernels" / f"{name}.json"
    kernel = json.loads(kernel_path.read_text())
    for edit in edits:
        assert kernel["source"].count(edit["old"]) == 1, edit["old"]
        kernel["source"] = kernel["source"].replace(edit["old"], edit["new"])
    problem = json.loads((kernel_path.parent / "problem.json").read_text())
    compiled, _ = server.call("compile_kernel", problem=problem, kernel=kernel)
    lifted, _ = server.call("lift_to_ir", kernel_id=compiled["kernel_id"], detail="full")
    if not lifted.get("ir"):
        return {"verdict": "not_lifted", "summary": lifted["summary"]}, 0
    mode = {"mode": "race_only"} if lifted.get("holes") else {}
    return server.call("verify_ir", ir=lifted["ir"], problem_id=compiled["problem_id"], **mode)


def is_silent(answer):
    """A hole writes no output yet, which is nothing wrong with the orders."""
    kinds = {row["kind"] for row in answer.get("findings", [])}
    return answer["verdict"] == "ok" or kinds == {"unwritten_output"}


def main():
    found = drawn = 0
    rows = [(path.stem, json.loads(path.read_text()))
            for path in sorted((ROOT / "tests/lift/seeded").glob("*.json"))]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sys.argv[1], folder)
        for name, row in rows:
            answer, ms = verified(server, row["kernel"], row["edits"])
            on_drawn = bool(answer.get("other_workloads"))
            if not is_silent(answer):
                found += 1
                drawn += on_drawn
            print(f"{name:32} {answer['verdict']:20} {'drawn' if on_drawn else 'small':6} "
                  f"{ms / 1e3:5.1f} s  {answer['summary'][:150]}", flush=True)
        kernels = sorted({row["kernel"] for _, row in rows} | {"gemm-f16/tiled"})
        silent = 0
        for name in kernels:
            answer, ms = verified(server, name, [])
            silent += is_silent(answer)
            print(f"{name:32} {answer['verdict']:20} {'':6} {ms / 1e3:5.1f} s  "
                  f"{answer['summary'][:150]}", flush=True)
    print(f"{found} of {len(rows)} mistakes found, {drawn} of them on a drawn workload only; "
          f"{silent} of {len(kernels)} right kernels silent")


main()
