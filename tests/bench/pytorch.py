#!/usr/bin/env python3
"""PyTorch on a GPU: modules as baselines beside do_bench, the examples against torch.compile, and the
extension that is handed over.

    pytorch.py EXECUTABLE [--only NAME]... [--repeats N] [--skip STEP]...

STEP is validate, compile, max-autotune, do_bench, attention or extension. Run it with the Python that
has torch with CUDA and Triton. Prints one line per figure. Exit status 1 when a figure is missed: a
baseline more than 1 % from do_bench, an example slower than it must be, a warm evaluation of 5 s, or
an extension whose test fails or that adds 10 us to a launch.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile

import torch
from base import Server
from pytorch_exports import all_forms
from pytorch_subjects import DEVICE, EXAMPLES, SAME, check, example, failures, made, median_us, pointwise
from torch.nn.attention import SDPBackend, sdpa_kernel

NEAR, WARM_S = 0.01, 5
# Batch, heads and length, timed against the best backend of torch's attention.
ATTENTION = [(8, 32, 2048), (4, 32, 4096), (2, 32, 8192)]
ATTENTION_SPEED = 1.1


def beside_do_bench(server, subjects, repeats):
    print("torch as a baseline, and do_bench of the same module:")
    for subject in subjects:
        if not subject.kernel_id and not subject.compile(server):
            continue
        ours, theirs, seconds = [], [], []
        for _ in range(repeats):
            timed = subject.against(server, "torch")
            if timed is None:
                break
            last = timed
            ours.append(timed[1]["baseline_median_us"])
            seconds.append(f"{timed[2] / 1000:.1f}")
            # Made anew: where its tensors lie in the device's memory makes a difference of 1 %, too.
            module, inputs = made(subject.text)
            theirs.append(median_us(lambda: module(*inputs)))
            del module, inputs
            torch.cuda.empty_cache()
        if ours:
            ratio = statistics.median(ours) / statistics.median(theirs)
            print(f"  {subject.name}: {statistics.median(ours):.2f} us, do_bench {statistics.median(theirs):.2f} us "
                  f"({min(theirs):.2f} to {max(theirs):.2f}): {ratio:.4f}; in {', '.join(seconds)} s", flush=True)
            check(abs(ratio - 1) < NEAR, f"{subject.name} is more than 1 % from do_bench")
        if ours and subject.name == SAME:
            print(f"  {SAME}, launched by warpsmith: {last[1]['median_us']:.2f} us, ratio {last[0]['ratio']:.4f}")
            check(abs(last[0]["ratio"] - 1) < NEAR, "two timers of one kernel differ by more than 1 %")


def against_compiled(server, subjects, modes):
    print("the examples against torch.compile:")
    for subject in subjects:
        if not subject.kernel_id and not subject.compile(server):
            continue
        for mode in modes:
            timed = subject.against(server, mode)
            if timed is None:
                continue
            answer, row, ms = timed
            low, high = answer["ratio_ci"] if "ratio_ci" in answer else (0, 0)
            print(f"  {subject.name} against {mode}: {answer['verdict']}, kernel {row['median_us']:.2f} us, "
                  f"module {row['baseline_median_us']:.2f} us, {answer.get('ratio', 0):.3f}x ({low:.3f} to {high:.3f}), "
                  f"in {ms / 1000:.1f} s", flush=True)
            least = EXAMPLES[subject.name][1]
            if mode == "torch.compile" and least is not None:
                check(high >= least, f"{subject.name} is slower than torch.compile")


def attention(server):
    print("causal attention against the backends of scaled_dot_product_attention:")
    for batch, heads, seq in ATTENTION:
        subject = example("causal_attention", {"batch": batch, "heads": heads, "seq": seq})
        if not subject.compile(server):
            continue
        answer, _ = server.call("benchmark", kernel_id=subject.kernel_id, device=DEVICE, baseline="none",
                                fresh=True, wait_ms=600000)
        if not answer.get("workloads"):
            check(False, json.dumps(answer)[:900])
            continue
        ours = answer["workloads"][0]["median_us"]
        module, inputs = made(subject.text)
        best = {}
        for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
            with sdpa_kernel(backend):
                best[backend.name] = median_us(lambda: module(*inputs))
        flops = 2 * batch * heads * seq * seq * 128
        speed = min(best.values()) / ours
        print(f"  {batch} x {heads} heads, {seq}: {ours:.1f} us ({flops / ours / 1e6:.0f} Tflop/s); "
              + ", ".join(f"{name} {us:.1f}" for name, us in best.items()) + f"; {speed:.3f}x of the best", flush=True)
        check(speed >= ATTENTION_SPEED, f"attention at {seq} is below {ATTENTION_SPEED}x of the best backend")
        del module, inputs
        torch.cuda.empty_cache()


def warm_evaluation(server, subject):
    """Another kernel for a module that was timed before."""
    source = re.sub(r"__launch_bounds__\((\w+)\)", r"__launch_bounds__(\1, 1)", subject.kernel["source"])
    if source == subject.kernel["source"]:
        return
    kernel = dict(subject.kernel, source=source)
    answer, ms = server.call("evaluate", problem=subject.problem(subject.text), kernel=kernel, device=DEVICE, baseline="torch.compile",
                             wait_ms=600000)
    print(f"evaluate of {subject.name} with a warm baseline: {ms / 1000:.1f} s, reward {answer.get('reward')}, "
          f"fast_p {json.dumps(answer.get('fast_p'))}", flush=True)
    check(ms < 1000 * WARM_S, f"a warm evaluation took {ms / 1000:.1f} s")
    check(answer.get("reward", 0) > 0, json.dumps(answer)[:900])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("executable")
    arguments.add_argument("--only", action="append", help="an example or a pointwise module")
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--skip", action="append", default=[])
    options = arguments.parse_args()
    options.executable = os.path.abspath(options.executable)
    os.environ.setdefault("WARPSMITH_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as data:
        server = Server(options.executable, data)
        known = [example(name, sizes) for name, (sizes, _) in EXAMPLES.items()]
        wanted = [subject for subject in known + list(pointwise()) if not options.only or subject.name in options.only]
        examples = [subject for subject in wanted if subject in known]
        if "validate" not in options.skip:
            for subject in examples:
                if subject.compile(server):
                    subject.validate(server)
        if "compile" not in options.skip:
            modes = ["torch.compile"] + ["torch.compile:max-autotune"] * ("max-autotune" not in options.skip)
            against_compiled(server, examples, modes)
            for subject in examples[:1]:
                warm_evaluation(server, subject)
        if "do_bench" not in options.skip:
            beside_do_bench(server, wanted, options.repeats)
        if "attention" not in options.skip:
            attention(server)
        if "extension" not in options.skip:
            print("what is handed over:")
            with tempfile.TemporaryDirectory() as folder:
                all_forms(server, options.executable, data, [each for each in examples if each.own_id], folder)
        server.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
