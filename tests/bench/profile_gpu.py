#!/usr/bin/env python3
"""The planted cases of tests/planted through `profile`, by the command line.

    profile_gpu.py WARPSMITH DEVICE

One line for each case. Exit status 1 when a planted cause is not the first finding, a kernel without
one gets a finding, or a profile takes 3 s and more on a GPU.
"""

import json
import pathlib
import sys
import tempfile
import time

from command import call

PLANTED = pathlib.Path(__file__).resolve().parent.parent / "planted"
MOST_SECONDS = 3


def profile(warpsmith, data, device, case):
    """The answer, and the seconds that the second call took: the first one compiles and validates."""
    kernel = call(warpsmith, data, "compile_kernel",
                  {"problem": case["problem"], "kernel": case["kernel"], "device": device})
    question = {"kernel_id": kernel["kernel_id"], "device": device,
                "groups": ["speed_of_light", "memory", "occupancy", "stalls"]}
    call(warpsmith, data, "profile", question)
    start = time.monotonic()
    answer = call(warpsmith, data, "profile", dict(question, fresh=True))
    return answer, time.monotonic() - start


def main():
    warpsmith, device = sys.argv[1:3]
    on_gpu = not device.startswith("cpu")
    wrong = 0
    with tempfile.TemporaryDirectory() as data:
        for file in sorted(PLANTED.glob("*.json")):
            case = json.loads(file.read_text(encoding="utf-8"))
            answer, seconds = profile(warpsmith, data, device, case)
            if answer.get("verdict") != "profiled":
                wrong += 1
                print(f"WRONG {file.stem:20} {answer['summary']}")
                continue
            causes = [finding["cause"] for finding in answer["findings"]]
            right = causes[:1] == ([case["first"]] if case["first"] else [])
            right = right and (seconds < MOST_SECONDS or not on_gpu)
            wrong += not right
            print(f"{'ok   ' if right else 'WRONG'} {file.stem:20} {answer['limiter']:12} "
                  f"{', '.join(causes) or '-':50} {seconds:5.2f} s")
            hardware = answer["speed_of_light"].get("hardware")
            if hardware:
                print("      " + json.dumps(hardware) + json.dumps(answer["stalls"]))
            elif on_gpu:
                print("      no hardware counters: " + answer.get("no_hardware_counters", "?"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
