#!/usr/bin/env python3
"""The kernels of examples/kernels/gemm-* and attention-* on a GPU, by the command line.

    kernels_gpu.py WARPSMITH DEVICE

One line for each: verdict at level standard, what is wrong, and the time of each workload below. Exit
status 1: one of them does not pass.
"""

import json
import pathlib
import sys
import tempfile

from command import call

KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "kernels"
WORKLOADS = {
    "gemm-f16": [{"m": 4096, "n": 4096, "k": 4096}],
    "attention-f16": [{"heads": 32, "kv_heads": 8, "s": 4096, "t": 4096, "d": d} for d in (64, 128)],
}


def ask(warpsmith, data, tool, arguments):
    """As call; what goes wrong is an answer like another, so that the other kernels have their line."""
    try:
        return call(warpsmith, data, tool, arguments)
    except RuntimeError as error:
        return {"verdict": "error", "summary": str(error)[:300]}


def times(warpsmith, data, device, kernel_id, workloads):
    answer = ask(warpsmith, data, "benchmark", {
        "kernel_id": kernel_id, "device": device, "baseline": "none", "workloads": workloads})
    rows = [f"{row['median_us'] / 1000:.3f} ms {row.get('tflops') or 0:.0f} TFLOP/s"
            for row in answer.get("workloads", []) if row.get("median_us")]
    return "; ".join(rows) or answer["summary"][:200]


def main():
    warpsmith, device = sys.argv[1:3]
    wrong = 0
    with tempfile.TemporaryDirectory() as data:
        for folder, workloads in WORKLOADS.items():
            problem = json.loads((KERNELS / folder / "problem.json").read_text(encoding="utf-8"))
            for file in sorted((KERNELS / folder).glob("*.json")):
                if file.name == "problem.json":
                    continue
                kernel = json.loads(file.read_text(encoding="utf-8"))
                made = ask(warpsmith, data, "compile_kernel",
                            {"problem": problem, "kernel": kernel, "device": device})
                answer, time = made, "-"
                if made["verdict"] == "compiled":
                    answer = ask(warpsmith, data, "validate", {
                        "kernel_id": made["kernel_id"], "device": device, "level": "standard"})
                passed = answer.get("verdict") == "passed"
                if passed:
                    time = times(warpsmith, data, device, made["kernel_id"], workloads)
                wrong += not passed
                print(f"{'ok   ' if passed else 'WRONG'} {folder + '/' + file.stem:32} {time:40} "
                      f"{answer['summary'][:300]}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
