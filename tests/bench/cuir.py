"""The figures of tests/bench/cuir.sh as a table or as JSON."""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Name in the output, what it is, the figure as it is printed, and what it has to be: (word, limit).
ROWS = [
    ("bugs_found", "planted bugs found, with kind and both places", "{:.0f} of {bugs:.0f}",
     ("all, at least 60", lambda v: v["bugs_found"] == v["bugs"] >= 60)),
    ("silent_findings", "findings on programs that only look wrong", "{:.0f} on {silent:.0f}",
     ("0 on at least 40", lambda v: v["silent_findings"] == 0 and v["silent"] >= 40)),
    ("example_findings", "findings on examples and variants", "{:.0f} on {examples:.0f}",
     ("0", lambda v: v["example_findings"] == v["gemm_findings"] == 0)),
    ("attention_fa2_s", "attention_fa2, 256 x 64, 16 schedules", "{:.2f} s",
     ("< 2 s", lambda v: v["attention_fa2_s"] < 2)),
    ("attention_ws_s", "attention_ws, the same", "{:.2f} s",
     ("< 2 s", lambda v: v["attention_ws_s"] < 2)),
    ("attention_pingpong_s", "attention_pingpong, the same", "{:.2f} s",
     ("< 2 s", lambda v: v["attention_pingpong_s"] < 2)),
    ("gemm_512_s", "gemm_tma 512 x 512 x 512 in f32, one schedule", "{:.2f} s",
     ("< 1 s", lambda v: v["gemm_512_s"] < 1)),
    ("gemm_512_all_s", "the same, 14 schedules", "{:.2f} s", None),
    ("numpy_error", "f64 mode against NumPy, worst of the examples", "{:.1e}",
     ("<= 1e-12", lambda v: v["numpy_error"] <= 1e-12)),
    ("peak_mb", "peak memory of all of this", "{:.0f} MB",
     ("< 1000 MB", lambda v: v["peak_mb"] < 1000)),
]


def measure(build):
    subprocess.run(["cmake", "--build", build, "--target", "ws_cuir_bench"], check=True,
                   stdout=subprocess.DEVNULL)
    lines = subprocess.run([f"{build}/bin/ws_cuir_bench"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines)}


def table(values):
    yield "| figure | measured | to reach |"
    yield "| --- | --- | --- |"
    for name, title, form, goal in ROWS:
        if name not in values:
            yield f"| {title} | left out: no python3 that imports numpy | {goal[0]} |"
            continue
        word = "" if goal is None else goal[0] + ("" if goal[1](values) else ", **missed**")
        yield f"| {title} | {form.format(values[name], **values)} | {word} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build-test"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    values = measure(options.build)
    print(json.dumps(values) if options.json else "\n".join(table(values)))
    exact = ROWS[:3]
    sys.exit(0 if all(goal[1](values) for _, _, _, goal in exact) else 1)


if __name__ == "__main__":
    main()
