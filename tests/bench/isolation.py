"""What tests/bench/isolation.sh measures. Standard library only."""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import base

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


def medians(server, problem, kernel):
    """Median microseconds of each workload of one fresh benchmark."""
    made, _ = server.call("compile_kernel", problem=problem, kernel=kernel)
    checked, _ = server.call("validate", kernel_id=made["kernel_id"])
    if checked["verdict"] != "passed":
        sys.exit(f"{kernel['name']}: {checked['summary']}")
    run, _ = server.call("benchmark", kernel_id=made["kernel_id"], fresh=True)
    return [workload["median_us"] for workload in run["workloads"]]


def main():
    parser = argparse.ArgumentParser(prog="isolation.sh", description="The cost of isolation.")
    parser.add_argument("build")
    parser.add_argument("compared_with")
    parser.add_argument("rounds", nargs="?", type=int, default=5)
    options = parser.parse_args()
    builds = [str(pathlib.Path(folder).resolve() / "bin" / "warpsmith")
              for folder in (options.compared_with, options.build)]
    print(f"{'kernel':<28}{'before':>12}{'now':>12}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        servers = [base.Server(build, f"{folder}/{i}") for i, build in enumerate(builds)]
        for problem, kernel in CASES:
            times = [[], []]
            for _ in range(options.rounds):
                for seen, server in zip(times, servers):
                    seen.append(medians(server, read(problem, "problem"), read(problem, kernel)))
            # The last workload is the largest one.
            before, now = (statistics.median(row[-1] for row in seen) for seen in times)
            print(f"{problem + ' ' + kernel:<28}{before:>9.1f} us{now:>9.1f} us"
                  f"{now / before:>8.2f}", flush=True)
        for server in servers:
            server.close()


if __name__ == "__main__":
    main()
