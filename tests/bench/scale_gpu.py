#!/usr/bin/env python3
"""Validations by two nodes on two GPUs of one host, against one node on one of them.

    tests/bench/scale_gpu.py BUILD_FOLDER [--jobs 60] [--rounds 3] [--device cuda:0]

Each call is another matrix product, so that none is answered from the archive, and a server without a device of its own
sends all of them at once. Needs PostgreSQL and two NVIDIA GPUs. Prints one JSON object. Standard library only.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from base import Server, matmul, square_matmul  # noqa: E402
from scale import Database, programs  # noqa: E402


class Front(Server):
    """A server that gives its work to nodes."""

    def __init__(self, executable, data_dir, url):
        self.process = subprocess.Popen(
            [executable, "serve", "--stdio", "--data", data_dir, "--store", url, "--run-on", "nodes", "--no-gpu",
             "--log-level", "error"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0

    def answers(self, tool, calls):
        """Sends all calls at once, and waits for their answers, in the order of the calls. The seconds that took."""
        lines = [self.line("tools/call", name=tool, arguments=call) for call in calls]
        first = self.last_id - len(lines) + 1
        start = time.perf_counter()
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()
        answers = {}
        while len(answers) < len(lines):
            message = json.loads(self.process.stdout.readline())
            if "id" in message:
                answers[message["id"]] = message.get("result", message)
        seconds = time.perf_counter() - start
        for answer in answers.values():
            if answer.get("structuredContent", {}).get("verdict") not in ("compiled", "passed"):
                sys.exit(f"{tool}: {json.dumps(answer)[:600]}")
        return [answers[first + i]["structuredContent"] for i in range(len(lines))], seconds

    def validations(self, kernels, device):
        """Compiles all kernels, and validates them. The seconds that the second took."""
        compiled, _ = self.answers("compile_kernel", [
            {"problem": square_matmul(), "kernel": kernel, "device": device, "wait_ms": 600000} for kernel in kernels])
        return self.answers("validate", [
            {"kernel_id": one["kernel_id"], "device": device, "level": "quick", "wait_ms": 600000}
            for one in compiled])[1]


class Nodes:
    """One node for each GPU that is named."""

    def __init__(self, executable, folder, url, gpus):
        self.processes = [subprocess.Popen(
            [executable, "node", "--store", url, "--data", f"{folder}/node{gpu}", "--name", f"gpu-{gpu}", "--log-level", "error"],
            env=dict(os.environ, CUDA_VISIBLE_DEVICES=str(gpu))) for gpu in gpus]

    def end(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="cuda:0")
    options = parser.parse_args()
    executable = str(options.build.resolve() / "bin" / "warpsmith")
    plain, number = matmul("tiled16"), 0

    def kernels(count):
        nonlocal number
        number += count
        return [dict(plain, source=f"// {n}\n" + plain["source"]) for n in range(number - count, number)]

    rates = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/database")
        database = Database(programs(), f"{folder}/database")
        front = Front(executable, f"{folder}/front", database.url)
        for _ in range(options.rounds):
            for gpus in ([0], [0, 1]):
                nodes = Nodes(executable, folder, database.url, gpus)
                front.validations(kernels(4 * len(gpus)), options.device)
                rates[len(gpus)].append(options.jobs / front.validations(kernels(options.jobs), options.device))
                nodes.end()
        front.close()
        database.process.terminate()
        database.process.wait()
    one, two = statistics.median(rates[1]), statistics.median(rates[2])
    print(json.dumps({"part": "gpus", "jobs": options.jobs, "rounds": options.rounds, "one_per_s": round(one, 2),
                      "two_per_s": round(two, 2), "ratio": round(two / one, 3)}))


if __name__ == "__main__":
    main()
