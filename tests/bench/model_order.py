#!/usr/bin/env python3
"""Compares modelled times with those measured on an H100.

    model_order.py EXECUTABLE [FAMILY]

tests/model/h100.json has the times; the kernels run on the CPU engine here and are counted. Prints a
line for each kernel, and for each family the largest factor by which a ratio of two times is off.
"""

import itertools
import json
import math
import pathlib
import sys
import tempfile

from base import ROOT, Server


def lines(value):
    return "".join(line + "\n" for line in value) if isinstance(value, list) else value


def kernels_of(server, family):
    """The id of the kernel after each step that was measured."""
    folder = ROOT / family["workflow"]
    script = json.loads((folder / "workflow.json").read_text())
    problem = json.loads((folder / "problem.json").read_text())
    kernel = dict(script["kernel"], source=lines(script["kernel"]["source"]))
    made, _ = server.call("compile_kernel", problem=problem, kernel=kernel, device="cpu:0")
    last = max(int(step) for step in family["us"])
    ids = {}
    params, defaults = {}, {}
    for number, step in enumerate(script["steps"][: last + 1]):
        if "tune" not in step and (step.get("edits") or step.get("set")):
            change = {key: step[key] for key in ("edits", "set") if step.get(key)}
            for edit in change.get("edits", []):
                edit.update({key: lines(edit[key]) for key in ("old", "text") if key in edit})
            added = {name: [value] for name, value in family["adds"].get(str(number), {}).items()}
            params = {**change.get("set", {}).get("params", params), **added}
            defaults = {**change.get("set", {}).get("defaults", defaults),
                        **family["adds"].get(str(number), {})}
            if added:
                change["set"] = {**change.get("set", {}), "params": params, "defaults": defaults}
            made, _ = server.call("compile_kernel", base=made["kernel_id"], device="cpu:0", **change)
        if made.get("verdict") != "compiled":
            sys.exit(f"{family['name']}, step {number}: {json.dumps(made)[:600]}")
        ids[str(number)] = made["kernel_id"]
    return ids


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    record = json.loads((ROOT / "tests/model/h100.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sys.argv[1], folder)
        for family in record["families"]:
            if wanted not in family["name"]:
                continue
            ids = kernels_of(server, family)
            ratios = {}
            for step, measured in family["us"].items():
                told, _ = server.call("profile", kernel_id=ids[step], workload=family["workload"],
                                   groups=["speed_of_light", "occupancy", "launch"], device="cpu:0",
                                   wait_ms=600000)
                light = told.get("speed_of_light") or sys.exit(json.dumps(told)[:600])
                ratios[step] = light["total_us"] / measured
                parts = {k[:-8]: v for k, v in light.items() if k.endswith("_percent")}
                print(f"{family['name']:11} {step:>3} {measured:9.0f} us, model {light['total_us']:9.0f}"
                      f" = x {ratios[step]:5.2f}  {parts} {told['occupancy']['resident_warps']}"
                      f" {told.get('shrunk_from') and told['workload']}")
            off = max((abs(math.log(ratios[a] / ratios[b])), a, b)
                      for a, b in itertools.combinations(ratios, 2))
            print(f"{family['name']}: ratios off by up to {math.exp(off[0]):.2f} ({off[1]}, {off[2]})")


if __name__ == "__main__":
    main()
