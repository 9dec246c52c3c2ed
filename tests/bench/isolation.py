"""What tests/bench/isolation.sh measures. Standard library only."""

import argparse
import json
import os
import pathlib
import signal
import socket
import statistics
import sys
import tempfile
import time

import base

BELLS = 5000
KERNELS = base.ROOT / "examples" / "kernels"
# One with a loop of plain accesses, with barriers and shared memory, with local arrays, with warp
# operations, with atomics, with nothing but memory traffic, and with half precision.
CASES = [
    ("matmul", "naive"), ("matmul", "tiled16"), ("matmul", "thread_tile"),
    ("reduction", "two_launches"), ("softmax", "warp_per_row"), ("layernorm", "thread_per_row"),
    ("histogram", "shared_atomics"), ("transpose", "naive"), ("vadd", "naive"),
    ("vadd", "vector4"), ("gemm-f16", "tiled"), ("attention-plain", "attention_plain"),
]


def read(folder, name):
    return json.loads((KERNELS / folder / f"{name}.json").read_text())


def times_of(server, problem, kernel):
    """Microseconds of the largest workload in one fresh benchmark: the median, and of the fastest 5 %
    the slowest, which others on the machine disturb least."""
    made, _ = server.call("compile_kernel", problem=problem, kernel=kernel)
    checked, _ = server.call("validate", kernel_id=made["kernel_id"])
    if checked["verdict"] != "passed":
        sys.exit(f"{kernel['name']}: {checked['summary']}")
    run, _ = server.call("benchmark", kernel_id=made["kernel_id"], fresh=True,
                         time_budget_ms=1500)
    largest = run["workloads"][-1]
    return largest["median_us"], largest["p5_us"]


def doorbell_us(still):
    """Median microseconds of a byte to another process and back, and of stopping that process."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        while byte := theirs.recv(1):
            theirs.send(byte)
        os._exit(0)
    theirs.close()
    bells, stops = [], []
    for _ in range(BELLS):
        if still:
            start = time.perf_counter()
            os.kill(child, signal.SIGSTOP)
            os.waitid(os.P_PID, child, os.WSTOPPED)
            stops.append(time.perf_counter() - start)
        start = time.perf_counter()
        ours.send(b"x")
        if still:
            os.kill(child, signal.SIGCONT)
        ours.recv(1)
        bells.append(time.perf_counter() - start)
    ours.close()
    os.waitpid(child, 0)
    return [1e6 * statistics.median(times or [0]) for times in (bells, stops)]


def main():
    parser = argparse.ArgumentParser(prog="isolation.sh", description="The cost of isolation.")
    parser.add_argument("build")
    parser.add_argument("compared_with")
    parser.add_argument("rounds", nargs="?", type=int, default=5)
    options = parser.parse_args()
    builds = [str(pathlib.Path(folder).resolve() / "bin" / "warpsmith")
              for folder in (options.compared_with, options.build)]
    free, still = doorbell_us(False), doorbell_us(True)
    print(f"a doorbell {free[0]:.1f} us, to a stopped process {still[0]:.1f} us, "
          f"to stop it {still[1]:.1f} us\n")
    print(f"{'kernel':<28}{'median before':>16}{'now':>12}{'ratio':>8}{'p5 before':>16}{'now':>12}"
          f"{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        servers = [base.Server(build, f"{folder}/{i}") for i, build in enumerate(builds)]
        for problem, kernel in CASES:
            times = [[], []]
            for _ in range(options.rounds):
                for seen, server in zip(times, servers):
                    seen.append(times_of(server, read(problem, "problem"), read(problem, kernel)))
            middle = [statistics.median(median for median, _ in seen) for seen in times]
            least = [min(p5 for _, p5 in seen) for seen in times]
            print(f"{problem + ' ' + kernel:<28}{middle[0]:>13.1f} us{middle[1]:>9.1f} us"
                  f"{middle[1] / middle[0]:>8.2f}{least[0]:>13.1f} us{least[1]:>9.1f} us"
                  f"{least[1] / least[0]:>8.2f}", flush=True)
        for server in servers:
            server.close()


if __name__ == "__main__":
    main()
