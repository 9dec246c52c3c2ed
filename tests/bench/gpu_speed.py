#!/usr/bin/env python3
"""Whether benchmark's verdicts on a GPU can be believed: planted slowdowns, equals, repeats, two servers.

    gpu_speed.py EXECUTABLE [--trials N] [--equals N] [--repeats N] [--twins N]

Prints one line per figure. Exit status 1 when fewer than 95 of 100 planted slowdowns of 2 % are found
within 10 s each, when more than 1 of 300 equals is called faster, when the rewards of kernels that are as fast
as their baseline spread by more than 0.02, or when two servers disagree.
Standard library only.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile
import threading
import time

from base import Server

DEVICE = "cuda:0"
LIMIT_S = 10
BUDGET_MS = 8000  # The rest is for compiling, loading and what validates first.
SLOWDOWN = 1.02
ROUNDS = 20000  # 45 us on an H100.
# Eight times as many, 320 us: the times of events jump by half a microsecond, so 2 % more rounds are
# 1.0 to 1.5 % more time in a kernel of 45 us, and in this one 2 %.
PLANTED_ROUNDS = 160000

# Arithmetic alone, so that its time is proportional to the rounds.
SOURCE = """__global__ void spin(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  for (int k = 0; k < @ROUNDS@; ++k) { v = v * 0.5f + 1.0f; }
  if (i < n) { y[i] = v; }
}
"""
PROBLEM = {
    "name": "spin",
    "op": "spin",
    "dims": {"n": [65536]},
    "args": [{"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "flops": f"2*n*{ROUNDS}",
    "bytes": "4*n",
    "reference": {
        "kind": "kernel",
        "language": "cuda",
        "entry": "spin",
        "source": SOURCE.replace("@ROUNDS@", "200"),
        "launches": [{"entry": "spin", "grid": ["cdiv(n, 256)"], "block": ["256"],
                      "args": ["y", "n"]}],
    },
}

# 256 MB move: half is read, half written.
COPY_SOURCE = """__global__ void copy(const float4* x, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) { y[i] = x[i]; }
}
"""
COPY = {
    "name": "copy",
    "op": "copy",
    "dims": {"n": [1 << 25]},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "bytes": "8*n",
    "reference": {
        "kind": "kernel",
        "language": "cuda",
        "entry": "copy",
        "source": COPY_SOURCE,
        "launches": [{"entry": "copy", "grid": ["cdiv(n, 1024)"], "block": ["256"],
                      "args": ["x", "y", "n"]}],
    },
}

failures = []


def check(good, text):
    if not good:
        failures.append(text)
        print(f"  WRONG: {text}")


def spinning(server, rounds):
    """The id of a kernel that runs so many rounds; the value converges long before."""
    return compiled(server, PROBLEM, {"name": "spin", "source": SOURCE,
                                      "params": {"ROUNDS": [rounds]}})


def compiled(server, problem, kernel):
    """The id of a kernel that is launched as the problem's reference is."""
    kernel = {"language": "cuda", "launches": problem["reference"]["launches"], **kernel}
    answer, _ = server.call("compile_kernel", problem=problem, kernel=kernel, device=DEVICE)
    if answer["verdict"] != "compiled":
        sys.exit(answer["summary"])
    return answer["kernel_id"]


def compare(server, kernel_id, baseline):
    answer, ms = server.call("benchmark", kernel_id=kernel_id, baseline=baseline, device=DEVICE,
                             fresh=True, time_budget_ms=BUDGET_MS, wait_ms=300000)
    return answer, ms / 1e3


def planted(server, trials, rounds):
    """How many of the planted slowdowns are found."""
    fast, slow = spinning(server, rounds), spinning(server, int(rounds * SLOWDOWN))
    compare(server, fast, fast)  # What is measured once for each device.
    found, seconds, ratios = 0, [], []
    for _ in range(trials):
        answer, took = compare(server, slow, fast)
        found += answer["verdict"] == "slower" and took <= LIMIT_S
        seconds.append(took)
        ratios.append(answer["ratio"])
    print(f"  {rounds} rounds and 2 % more: found {found} of {trials}, median "
          f"{statistics.median(seconds):.1f} s, longest {max(seconds):.1f} s; ratios {min(ratios)} "
          f"to {max(ratios)}")
    return found


def equals(server, trials):
    fast = spinning(server, ROUNDS)
    verdicts, seconds = {}, []
    for _ in range(trials):
        answer, took = compare(server, fast, fast)
        verdicts[answer["verdict"]] = verdicts.get(answer["verdict"], 0) + 1
        seconds.append(took)
    print(f"  equals, {trials} times: {verdicts}, median {statistics.median(seconds):.1f} s")
    check(verdicts.get("faster", 0) <= max(1, trials // 300), "a kernel is faster than itself")


def twins(server, count):
    """The rewards of kernels that do as much as the reference and compute with other constants."""
    body = SOURCE.replace("@ROUNDS@", str(ROUNDS))
    body = body.replace("float* y", "const float* x, float* y").replace("= v;", "= v + x[i];")
    launches = [dict(PROBLEM["reference"]["launches"][0], args=["x", "y", "n"])]
    problem = dict(PROBLEM, name="twins",
                   args=[{"name": "x", "type": "f32", "shape": ["n"], "role": "in"}, *PROBLEM["args"]],
                   reference=dict(PROBLEM["reference"], source=body, launches=launches))
    rewards = []
    for i in range(count):
        share = (64 + i) / 256  # Exact in f32, and small enough to end at 2 exactly.
        source = body.replace("v * 0.5f + 1.0f", f"v * {share}f + {2 - 2 * share}f")
        answer, _ = server.call("evaluate", problem=problem, device=DEVICE, wait_ms=300000,
                                kernel={"name": "spin", "language": "cuda", "source": source,
                                        "launches": launches})
        rewards.append(answer["reward"])
    print(f"  rewards of {count} twins: {min(rewards)} to {max(rewards)}")
    check(max(rewards) - min(rewards) <= 0.02, "the rewards of twins spread")


def repeats(server, count):
    copy = {"name": "copy", "source": COPY_SOURCE}
    for name, kernel in (("spin", spinning(server, ROUNDS)),
                         ("256 MB copy", compiled(server, COPY, copy))):
        medians, row = [], {}
        for _ in range(count):
            row = compare(server, kernel, kernel)[0]["workloads"][0]
            medians.append(row["median_us"])
        spread = (max(medians) - min(medians)) / statistics.median(medians)
        print(f"  {name}: {count} medians of {statistics.median(medians):.1f} us spread by "
              f"{spread:.2%}; {row['roofline_percent']} % of {row.get('roofline_bound')}")


def two_servers(executable, server, folder):
    """Both time the same kernels at once: they take turns on the GPU's lock."""
    other = Server(executable, folder)
    results = {}

    def run(name, one):
        fast, slow = spinning(one, ROUNDS), spinning(one, int(ROUNDS * 1.1))
        results[name] = compare(one, fast, slow)

    start = time.perf_counter()
    threads = [threading.Thread(target=run, args=pair)
               for pair in (("first", server), ("second", other))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    other.close()
    said = {name: (answer["verdict"], answer.get("ratio")) for name, (answer, _) in results.items()}
    print(f"  two servers at once, {took:.1f} s: {said}")
    check(all(verdict == "faster" and 1.08 < ratio < 1.12 for verdict, ratio in said.values()),
          "two servers on one GPU disagree")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--equals", type=int, default=100)
    parser.add_argument("--twins", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=10)
    options = parser.parse_args()
    executable = str(pathlib.Path(options.executable).resolve())
    with tempfile.TemporaryDirectory() as folder:
        server = Server(executable, f"{folder}/first")
        found = planted(server, options.trials, PLANTED_ROUNDS)
        check(found >= 0.95 * options.trials,
              f"{found} of {options.trials} planted slowdowns were found")
        planted(server, options.trials, ROUNDS)
        equals(server, options.equals)
        twins(server, options.twins)
        repeats(server, options.repeats)
        print(f"  {server.call('list_devices')[0]['devices'][0]['ceilings']}")
        two_servers(executable, server, f"{folder}/second")
        server.close()
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
