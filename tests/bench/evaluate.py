#!/usr/bin/env python3
"""What evaluate costs: a new kernel, one that is known, and a batch.

    evaluate.py EXECUTABLE [--device cpu:0] [--kernels 200]

Prints one line per figure; on a GPU also how busy nvidia-smi saw it during the batch. Exit status 1
when a kernel that is right earns nothing, or a wrong one something. Standard library only.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from base import Server

SOURCE = """__global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { y[i] = %s * x[i] + 0.0f * %d; }
}
"""
PLAN = {"entry": "scale", "grid": ["cdiv(n, 256)"], "block": ["256"], "args": ["x", "y", "n"]}
PROBLEM = {
    "name": "scale",
    "op": "scale",
    "dims": {"n": [1 << 16]},
    "args": [{"name": "x", "type": "f32", "shape": ["n"], "role": "in"},
             {"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "scale",
                  "source": SOURCE % ("2.0f", 0), "launches": [PLAN]},
}


def kernel(number, right=True):
    return {"name": "scale", "language": "cuda", "launches": [PLAN],
            "source": SOURCE % ("2.0f" if right else "3.0f", number)}


class Usage:
    """What nvidia-smi says of the GPU's use, five times a second; None where there is no GPU."""

    def __init__(self, device):
        self.samples = []
        self.process = None
        if device.startswith("cuda:"):
            seen = os.environ.get("CUDA_VISIBLE_DEVICES")
            number = int(device.split(":")[1])
            card = seen.split(",")[number] if seen else str(number)
            self.process = subprocess.Popen(
                ["nvidia-smi", "-i", card, "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits",
                 "-lms", "200"], stdout=subprocess.PIPE, text=True)
            threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.samples.append(int(line))

    def stop(self):
        if self.process is None:
            return None
        self.process.terminate()
        self.process.wait()
        return statistics.mean(self.samples) if self.samples else None


def timed(server, device, **arguments):
    return server.call("evaluate", problem=PROBLEM, device=device, wait_ms=600000, **arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--kernels", type=int, default=200)
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        server = Server(str(pathlib.Path(options.executable).resolve()), folder)
        timed(server, options.device, kernel=kernel(1))  # What is measured once for each device.
        new = [timed(server, options.device, kernel=kernel(2 + i)) for i in range(5)]
        again = [timed(server, options.device, kernel=kernel(2))[1] for _ in range(200)]
        wrong += sum(answer["reward"] == 0 for answer, _ in new)
        print(f"a new kernel {statistics.median(ms for _, ms in new) / 1e3:.2f} s; "
              f"known {statistics.median(again):.2f} ms (p50 of {len(again)})")
        kernels = [kernel(100 + i, right=i % 10 != 9) for i in range(options.kernels)]
        usage = Usage(options.device)
        start = time.perf_counter()
        batch, _ = timed(server, options.device, kernels=kernels, detail="full")
        took = time.perf_counter() - start
        busy = usage.stop()
        unjust = [row for i, row in enumerate(batch["results"])
                  if (row["reward"] == 0) != (i % 10 == 9)]
        wrong += len(unjust)
        print(f"{len(kernels)} kernels at once in {took:.1f} s, {took / len(kernels):.2f} s each; "
              f"{batch['valid']} right" + (f"; GPU busy {busy:.0f} %" if busy is not None else ""))
        for row in unjust:
            print("wrong reward:", json.dumps(row)[:2000])
        server.close()
    print(f"{wrong} rewards wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
