#!/usr/bin/env python3
"""How often benchmark on the CPU engine tells two equal kernels apart, on a busy machine.

    equals.py EXECUTABLE [--trials N] [--load N]

Compares kernels of the examples with themselves, in turn, while N other processes compute. Prints the
verdicts, the widest ratio that was called faster or slower, and how long a comparison took. Exit status
1 when more than 1 of 300 was, or one of them by more than 1.5. Standard library only.
"""

import argparse
import collections
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

from base import Server

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = [("vadd", "naive"), ("reduction", "two_launches"), ("softmax", "block_per_row"),
            ("transpose", "naive")]
ALLOWED = 1 / 300
MOST = 1.5


def stored(server):
    ids = []
    for problem, kernel in EXAMPLES:
        folder = ROOT / "examples" / "kernels" / problem
        form = json.loads((folder / "problem.json").read_text())
        answer, _ = server.call("compile_kernel", problem=form,
                                kernel=json.loads((folder / f"{kernel}.json").read_text()))
        if answer["verdict"] != "compiled":
            sys.exit(answer["summary"])
        ids.append(answer["kernel_id"])
    return ids


def compare_all(server, trials):
    ids, verdicts, seconds, floors, apart = stored(server), collections.Counter(), [], [], []
    for i in range(trials):
        kernel = ids[i % len(ids)]
        answer, ms = server.call("benchmark", kernel_id=kernel, baseline=kernel, device="cpu:0",
                                 fresh=True, wait_ms=300000)
        verdicts[answer["verdict"]] += 1
        seconds.append(ms / 1e3)
        floors.append(answer["noise_floor"])
        if answer["verdict"] in ("faster", "slower"):
            apart.append(answer["ratio"])
            print(f"  {answer['summary']}; noise floor {answer['noise_floor']}", flush=True)
    print(f"  {trials} comparisons of equals: {dict(verdicts)}; median {statistics.median(seconds):.1f} s; "
          f"noise floor, median {statistics.median(floors)}")
    return apart


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--load", type=int, default=8, help="processes that compute meanwhile")
    options = parser.parse_args()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: sum(range(100000))"])
            for _ in range(options.load)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            server = Server(str(pathlib.Path(options.executable).resolve()), folder)
            apart = compare_all(server, options.trials)
            server.close()
    finally:
        for process in busy:
            process.kill()
            process.wait()
    worst = max((math.exp(abs(math.log(ratio))) for ratio in apart), default=1)
    good = len(apart) <= max(1, options.trials * ALLOWED) and worst <= MOST
    print(f"  told apart: {len(apart)}, by {worst:.2f} at the most: {'good' if good else 'WRONG'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
