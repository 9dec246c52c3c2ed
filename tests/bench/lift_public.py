"""What tests/bench/lift_public.sh measures. Standard library only."""

import json
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import lift_catalog  # noqa: E402
import lift_hopper  # noqa: E402
from base import ROOT, Server  # noqa: E402

SGEMM_ARGS = ["m", "n", "k", "alpha", "A", "B", "beta", "C"]

# File, entry, block, grid, and the block's tile: what the ladder's own runner launches.
SGEMM = [
    ("1_naive", "sgemm_naive", ["32", "32"], ["cdiv(m, 32)", "cdiv(n, 32)"]),
    ("2_kernel_global_mem_coalesce", "sgemm_global_mem_coalesce<32>", ["1024"],
     ["cdiv(m, 32)", "cdiv(n, 32)"]),
    ("3_kernel_shared_mem_blocking", "sgemm_shared_mem_block<32>", ["1024"],
     ["cdiv(m, 32)", "cdiv(n, 32)"]),
    ("4_kernel_1D_blocktiling", "sgemm1DBlocktiling<64, 64, 8, 8>", ["512"],
     ["cdiv(n, 64)", "cdiv(m, 64)"]),
    ("5_kernel_2D_blocktiling", "sgemm2DBlocktiling<128, 128, 8, 8, 8>", ["256"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
    ("6_kernel_vectorize", "sgemmVectorize<128, 128, 8, 8, 8>", ["256"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
    ("7_kernel_resolve_bank_conflicts", "sgemmResolveBankConflicts<128, 128, 8, 8, 8>", ["256"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
    ("8_kernel_bank_extra_col", "sgemmResolveBankExtraCol<128, 128, 8, 8, 8>", ["256"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
    ("9_kernel_autotuned", "sgemmAutotuned<128, 128, 16, 8, 8>", ["256"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
    ("10_kernel_warptiling", "sgemmWarptiling<128, 128, 16, 64, 64, 4, 8, 4, 128>", ["128"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
    ("11_kernel_double_buffering", "sgemmDoubleBuffering<128, 256, 16, 128, 32, 1, 8, 8, 256>",
     ["256"], ["cdiv(n, 256)", "cdiv(m, 128)"]),
    ("12_kernel_double_buffering",
     "runSgemmDoubleBuffering2<128, 128, 16, 64, 64, 4, 8, 4, 128>", ["128"],
     ["cdiv(n, 128)", "cdiv(m, 128)"]),
]


def sgemm_problem():
    plain = (
        "__global__ void reference(const float* A, const float* B, float* C, float alpha, float"
        " beta, int m, int n, int k) {\n  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y;\n"
        "  if (j >= n) return;\n  acc_t s = 0;\n  for (int p = 0; p < k; ++p) s +="
        " (acc_t)A[i * k + p] * B[p * n + j];\n  C[i * n + j] = alpha * s + beta * C[i * n + j];\n}\n"
    )
    tensor = lambda name, shape, role: {"name": name, "type": "f32", "shape": shape, "role": role}
    return {
        "name": "sgemm",
        "dims": {"m": [256], "n": [256], "k": [64]},
        "args": [
            tensor("A", ["m", "k"], "in"),
            tensor("B", ["k", "n"], "in"),
            tensor("C", ["m", "n"], "inout"),
            {"name": "alpha", "type": "f32", "role": "scalar", "values": [1.5]},
            {"name": "beta", "type": "f32", "role": "scalar", "values": [0.5]},
        ],
        "reference": {
            "kind": "kernel", "language": "cuda", "entry": "reference", "source": plain,
            "launches": [{"entry": "reference", "grid": ["cdiv(n, 32)", "m"], "block": ["32"],
                          "args": ["A", "B", "C", "alpha", "beta", "m", "n", "k"]}],
        },
    }


def device_part(source):
    """The file without what only the host needs."""
    source = re.sub(r"#include\s*<(cublas_v2.h|algorithm|cstdio|cstdlib|iostream|random)>", "", source)
    return source


class Bench:
    def __init__(self, executable, folder):
        self.server = Server(executable, folder)
        self.problem_id = ""  # Of the kernel that was lifted last.

    def call(self, tool, arguments):
        if tool == "verify_ir":  # A large kernel takes longer than a call waits by itself.
            arguments = {"wait_ms": 600_000, **arguments}
        answer, _ = self.server.exchange(
            self.server.line("tools/call", name=tool, arguments=arguments))
        message = json.loads(answer)
        result = message.get("result", message)
        return result.get("structuredContent") or {"verdict": "error", "summary": json.dumps(result)[:300]}

    def lift(self, problem, kernel, detail="full", **more):
        """The lifted kernel's id, result, and milliseconds."""
        compiled = self.call("compile_kernel", {"problem": problem, "kernel": kernel})
        if "kernel_id" not in compiled:
            return None, compiled, 0
        self.problem_id = compiled["problem_id"]
        start = time.monotonic()
        lifted = self.call("lift_to_ir",
                           {"kernel_id": compiled["kernel_id"], "detail": detail, **more})
        return compiled["kernel_id"], lifted, (time.monotonic() - start) * 1000

    def verify(self, kernel_id, ir, problem):
        """Kernels on halves may add in halves: their programs round as their types say. A kernel that
        the CPU engine does not run is replaced by the problem's reference, which rounds nothing."""
        halves = any(arg["type"] in ("f16", "bf16") for arg in problem["args"])
        checked = self.call("verify_ir", {"kernel_id": kernel_id, "ir": ir, "schedules": 2,
                                          "mode": "typed" if halves else "f32"})
        if checked["verdict"] != "invalid_reference":
            return checked, "computes the same"
        return self.call("verify_ir", {"problem_id": self.problem_id, "ir": ir, "schedules": 2,
                                       "mode": "f32"}), "computes what its problem says"

    def checks(self, ir):
        """Whether a program with holes has names, types and shapes that fit."""
        answer = self.call("verify_ir", {"ir": ir, "problem_id": self.problem_id, "mode": "race_only",
                                         "schedules": 1})
        return answer["verdict"] != "check_error"


def sgemm_kernels(folder):
    for file, entry, block, grid in SGEMM:
        path = folder / "src" / "kernels" / f"{file}.cuh"
        if path.is_file():
            kernel = {
                "name": "k" + file, "language": "cuda", "source": device_part(path.read_text()),
                "launches": [{"entry": entry, "grid": grid, "block": block, "args": SGEMM_ARGS}],
            }
            if file.startswith(("11_", "12_")):
                kernel["macros"] = "const int WARPSIZE = 32;\n"  # Of the file before it.
            yield file, sgemm_problem(), kernel


def own_kernels():
    for problem in sorted((ROOT / "examples" / "kernels").glob("*/problem.json")):
        for kernel in sorted(problem.parent.glob("*.json")):
            if kernel.name != "problem.json" and not kernel.name.startswith("broken"):
                yield (f"{problem.parent.name}/{kernel.stem}", json.loads(problem.read_text()),
                       json.loads(kernel.read_text()))


def run(bench, title, kernels, show):
    rows, wrong = [], 0
    for name, problem, kernel in kernels:
        kernel_id, lifted, ms = bench.lift(problem, kernel)
        verdict, note = lifted["verdict"], lifted["summary"]
        if lifted.get("ir") and verdict == "lifted":
            if show:
                print(lifted["ir"])
            checked, right = bench.verify(kernel_id, lifted["ir"], problem)
            note = right if checked["verdict"] == "ok" else checked["summary"]
            wrong += checked["verdict"] != "ok"
        elif lifted.get("ir") and not bench.checks(lifted["ir"]):
            note += "; the program does not check"
            wrong += 1
        rows.append((name, verdict, f"{ms:.0f} ms", note.replace("|", "\\|")))
    print(f"### {title}\n\n| kernel | lifted | time | |\n| --- | --- | --- | --- |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"\n{sum(row[1] == 'lifted' for row in rows)} of {len(rows)} fully\n")
    return wrong


def reasons(rows):
    """What was not lifted, each reason once, by its first line."""
    texts = {}
    for row in rows:
        texts.setdefault(row["why"], row["from"])
    return "; ".join(f"line {line}: {text}" for text, line in texts.items())


def orders(checked, holes):
    """What verify_ir finds in the orders of copies, products and barriers."""
    kinds = {row["kind"] for row in checked.get("findings", [])}
    if kinds == {"unwritten_output"} and holes:
        return "right; the output is for the hole to write"
    return "right" if checked["verdict"] == "ok" else checked.get("summary", "")


def run_hopper(bench, kernels, show):
    """Skeletons: what is in them, and whether verify_ir finds their orders right."""
    print("### fast.cu\n\n| kernel | lifted | time | holes | the program has | orders | not lifted |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for name, workload, kernel in kernels:
        problem = lift_hopper.problem(int(name.rsplit("_", 1)[1]))
        _, lifted, ms = bench.lift(problem, kernel, workload=workload)
        ir, found, holes = lifted.get("ir"), "", lifted.get("holes", [])
        if ir:
            checked = bench.call("verify_ir", {"ir": ir, "problem_id": bench.problem_id,
                                               "mode": "race_only", "workload": workload})
            found = orders(checked, holes)
            if lifted["verdict"] == "lifted":
                computed = bench.call("verify_ir", {
                    "ir": ir, "problem_id": bench.problem_id, "mode": "f32", "schedules": 1,
                    "workload": {**workload, "k": 128}})
                found += ("; computes the same" if computed["verdict"] == "ok"
                          else "; " + computed["summary"])
            if show:
                print(ir, json.dumps(checked, indent=1))
        row = (name, lifted["verdict"], f"{ms:.0f} ms", str(len(holes)),
               lift_hopper.contents(ir) if ir else "", found,
               reasons(lifted.get("not_lifted", [])) or ("" if ir else lifted["summary"]))
        print("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |",
              flush=True)
    print()


def main():
    folder = pathlib.Path(sys.argv[1])
    build = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "build-test")
    show = "--show" in sys.argv
    wrong = 0
    with tempfile.TemporaryDirectory() as data:
        bench = Bench(str(build / "bin" / "warpsmith"), data)
        wrong += run(bench, "Our own examples", own_kernels(), show)
        if (folder / "SGEMM_CUDA").is_dir():
            wrong += run(bench, "SGEMM_CUDA", sgemm_kernels(folder / "SGEMM_CUDA"), show)
        for name in lift_catalog.REPOSITORIES:
            if (folder / name).is_dir():
                wrong += run(bench, name, lift_catalog.kernels(folder / name, name), show)
        if (folder / "fast.cu").is_dir():
            run_hopper(bench, lift_hopper.kernels(folder / "fast.cu"), show)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
