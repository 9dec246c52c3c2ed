"""What `warpsmith export` writes for a kernel, built and run on a GPU; a part of pytorch.py."""

import concurrent.futures
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import torch
from base import ROOT
from pytorch_subjects import DEVICE, check, made, median_us

ADDED_US = 10
TRITON = (("vadd", "vadd_triton", torch.add),
          ("softmax", "softmax_triton", lambda x: torch.softmax(x, -1)))
CUPY = ("rms_norm_residual", "layer_norm")  # The others have types or tensor maps that CuPy lacks.


def run(step, folder):
    """The last line that the step prints; unittest prints to the other stream."""
    done = subprocess.run(step, cwd=folder, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{' '.join(step)}: {(done.stdout + done.stderr)[-1500:]}")
    return ((done.stdout.strip() or done.stderr.strip()).splitlines() or [""])[-1]


def handed_over(executable, data, subject, form, folder):
    to = pathlib.Path(folder) / f"{subject.name}-{form}"
    run([executable, "export", subject.own_id, "--as", form, "-o", str(to), "--data", data], folder)
    return to


def built_extension(executable, data, subject, folder):
    """The folder that `export` writes, once it is built, which takes a minute."""
    to = handed_over(executable, data, subject, "pytorch", folder)
    run([sys.executable, "setup.py", "build_ext", "--inplace"], to)
    return to


def extension(server, subject, to):
    """Runs the test of a built extension, and times a call beside our own launch."""
    test = next(to.glob("test_*.py"), None)
    if test is None:
        return
    print(f"  {subject.name}: {run([sys.executable, test.name], to)}", flush=True)
    answer, _ = server.call("benchmark", kernel_id=subject.own_id, device=DEVICE, baseline="none", fresh=True,
                            wait_ms=600000)
    name = test.stem.removeprefix("test_")
    sys.path.insert(0, str(to))
    importlib.import_module(name)
    module, inputs = made(subject.own_text)
    arguments = inputs + [value.detach() for value in module.parameters()]
    operator = getattr(torch.ops, name).run
    called = median_us(lambda: operator(*arguments))
    start = time.perf_counter()
    for _ in range(200):
        operator(*arguments)
    host = 1e6 * (time.perf_counter() - start) / 200
    ours = answer["workloads"][0]["median_us"]
    print(f"  {subject.name}: a call {called:.2f} us by do_bench, our launch {ours:.2f} us, the call alone {host:.1f} us "
          "of the CPU", flush=True)
    check(called - ours < ADDED_US, f"the extension of {subject.name} adds {called - ours:.1f} us")


def cuda_program(executable, data, subject, folder):
    """The program compares its kernel with the module, by the interpreter of this script."""
    to = handed_over(executable, data, subject, "cuda", folder)
    source = next(to.glob("*.cu"))
    run(["bash", "-c", re.search(r"nvcc .*", source.read_text()).group(0)], to)
    program = next(path for path in to.iterdir() if path.suffix == "")
    print(f"  {subject.name} as cuda: {run([str(program)], to)}", flush=True)


def triton_file(server, executable, data, name, kernel, wanted, folder):
    """Called with tensors of the shapes of the problem's first workload, and compared with PyTorch."""
    problem = json.loads((ROOT / "examples/kernels" / name / "problem.json").read_text())
    kernel = json.loads((ROOT / "examples/tiles" / name / f"{kernel}.json").read_text())
    answer, _ = server.call("compile_kernel", problem=problem, kernel=kernel, device=DEVICE)
    own_id = answer["kernel_id"]
    answer, _ = server.call("validate", kernel_id=own_id, device=DEVICE, wait_ms=600000)
    check(answer.get("verdict") == "passed", f"{name} in Triton: {json.dumps(answer)[:900]}")
    to = pathlib.Path(folder) / f"{name}-triton"
    run([executable, "export", own_id, "--as", "triton", "-o", str(to), "--data", data], folder)
    file = module_of(next(to.glob("*.py")), f"{name}_for_triton")
    sizes = {dim: form["values"][0] for dim, form in problem["dims"].items()}
    given = [torch.randn([sizes[dim] for dim in arg["shape"]], device="cuda")
             for arg in problem["args"] if arg["role"] == "in"]
    close = torch.allclose(file.handover_run(*given), wanted(*given), rtol=1e-4, atol=1e-5)
    print(f"  {name} as triton: {'as PyTorch' if close else 'other results'}", flush=True)
    check(close, f"the Triton file of {name} gives other results")


def module_of(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    file = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(file)
    return file


def cupy_file(executable, data, subject, folder):
    """Called with the module's inputs, and compared with the module."""
    import cupy
    to = handed_over(executable, data, subject, "cupy", folder)
    file = module_of(next(to.glob("*.py")), f"{subject.name}_for_cupy")
    module, inputs = made(subject.own_text)
    with torch.no_grad():
        wanted = module(*inputs)
    given = [cupy.from_dlpack(value.detach()) for value in inputs + list(module.parameters())]
    got = file.handover_run(*given)
    pairs = zip(*[value if isinstance(value, (tuple, list)) else [value] for value in (got, wanted)])
    close = all(torch.allclose(torch.from_dlpack(a), b, rtol=1e-4, atol=1e-5) for a, b in pairs)
    print(f"  {subject.name} as cupy: {'as the module' if close else 'other results'}", flush=True)
    check(close, f"the CuPy file of {subject.name} gives other results")


def all_forms(server, executable, data, subjects, folder):
    os.environ.setdefault("PYTHON", sys.executable)  # For the programs of the form `cuda`.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        built = list(pool.map(lambda subject: built_extension(executable, data, subject, folder), subjects))
    for subject, to in zip(subjects, built):
        extension(server, subject, to)
        cuda_program(executable, data, subject, folder)
        if subject.name in CUPY:
            cupy_file(executable, data, subject, folder)
    for name, kernel, wanted in TRITON:
        triton_file(server, executable, data, name, kernel, wanted, folder)
