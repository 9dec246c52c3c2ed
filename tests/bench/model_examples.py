#!/usr/bin/env python3
"""Modelled times of the examples beside those of a GPU, kernel by kernel.

    model_examples.py EXECUTABLE [--device cuda:0] [--json FILE]
    model_examples.py EXECUTABLE --recorded

Each kernel of the families below is validated and timed on the device, and counted on the CPU engine
(docs/profile.md), on a workload that the problem lists and on a large one. Prints a line for each,
and for each pair of kernels how far the ratio of their modelled times is from that of the measured
ones. --recorded takes the times of tests/model/h100.json in place of a device's. Standard library
only.
"""

import argparse
import itertools
import json
import math
import pathlib
import tempfile

from base import ROOT, Server

KERNELS = ROOT / "examples" / "kernels"
FAMILIES = {
    "histogram": [{"n": 262144, "bins": 256}, {"n": 16777216, "bins": 256}],
    "layernorm": [{"rows": 256, "cols": 1000}, {"rows": 4096, "cols": 4096}],
    "matmul": [{"m": 256, "n": 256, "k": 512}, {"m": 2048, "n": 2048, "k": 2048}],
    "reduction": [{"n": 1048576}, {"n": 16777216}],
    "softmax": [{"rows": 256, "cols": 1000}, {"rows": 4096, "cols": 4096}],
    "transpose": [{"rows": 512, "cols": 512}, {"rows": 4096, "cols": 4096}],
    "vadd": [{"n": 1048576}, {"n": 16777216}],
}


def recorded_us(family, name, workload):
    record = json.loads((ROOT / "tests/model/h100.json").read_text())
    for example in record["examples"]:
        if example["problem"].endswith(family) and example["workload"] == workload:
            return example["us"].get(name, "not recorded")
    return "not recorded"


def measured_us(server, device, kernel_id, workload):
    answer, _ = server.call("benchmark", kernel_id=kernel_id, device=device, baseline="none",
                            workloads=[workload], wait_ms=600000)
    rows = [row["median_us"] for row in answer.get("workloads", []) if row.get("median_us")]
    return rows[0] if rows else answer["summary"]


def modelled_us(server, kernel_id, workload):
    answer, _ = server.call("profile", kernel_id=kernel_id, workload=workload, device="cpu:0",
                            groups=["speed_of_light"], wait_ms=600000)
    return answer.get("speed_of_light", {}).get("total_us") or answer["summary"]


def compare(family, workload, rows):
    """Says where the model and the device differ most, and on which side of 1."""
    for (name, us, model), (other, other_us, other_model) in itertools.combinations(rows, 2):
        real, modelled = other_us / us, other_model / model
        off = max(real / modelled, modelled / real)
        against = (real - 1) * (modelled - 1) < 0
        print(f"  {family} {name} over {other}: GPU {real:.2f}x, model {modelled:.2f}x, off by {off:.2f}"
              f"{', other way round' if against else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executable")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--recorded", action="store_true")
    options = parser.parse_args()
    compiler = "cpu:0" if options.recorded else options.device
    record = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.executable, folder)
        for family, workloads in FAMILIES.items():
            problem = json.loads((KERNELS / family / "problem.json").read_text())
            ids = {}
            for file in sorted((KERNELS / family).glob("*.json")):
                if file.name != "problem.json" and not file.name.startswith("broken_"):
                    made, _ = server.call("compile_kernel", problem=problem, device=compiler,
                                       kernel=json.loads(file.read_text()))
                    ids[file.stem] = made["kernel_id"]
            for workload in workloads:
                rows = []
                for name, kernel_id in ids.items():
                    us = (recorded_us(family, name, workload) if options.recorded
                          else measured_us(server, options.device, kernel_id, workload))
                    model = modelled_us(server, kernel_id, workload)
                    print(f"{family} {name} {json.dumps(workload)}: {us} us, model {model} us", flush=True)
                    if not isinstance(us, str) and not isinstance(model, str):
                        rows.append((name, us, model))
                        record.append({"family": family, "kernel": name, "workload": workload, "us": us,
                                       "model_us": model})
                compare(family, workload, rows)
    if options.json:
        options.json.write_text(json.dumps(record, indent=1) + "\n")
    print(f"{len(record)} kernels and workloads, "
          f"model / GPU {math.exp(sum(math.log(r['model_us'] / r['us']) for r in record) / len(record)):.2f}"
          " in the geometric mean" if record else "nothing was timed")


if __name__ == "__main__":
    main()
