"""What tests/bench/vulkan.sh measures. Standard library only."""

import json
import pathlib
import statistics
import sys
import tempfile

import base
import vulkan_speed

COMPILES = 9
VALIDATIONS = 5
BAD = 20

SHADERS = base.ROOT / "examples" / "hlsl"
HEAD = "RWStructuredBuffer<float> y;\n[numthreads(1, 1, 1)] void bad() {\n"
# What ends them: the number of turns, the limit of time, while it runs and while the driver compiles,
# and the check of an index.
ENDLESS = HEAD + "  float s = y[0];\n  while (s != 0.5) { s = abs(s) + 1; }\n  y[0] = s;\n}\n"
LONG = HEAD + "  float s = 0;\n  for (uint i = 0; i < 60000; ++i) { s += sin(s + i); }\n  y[0] = s;\n}\n"
DEEP = (HEAD + "  float a[100000];\n  for (uint i = 0; i < 1000; ++i) { a[i * 100] = y[0]; }\n"
        "  y[0] = a[asuint(y[0]) % 100000];\n}\n")
OUTSIDE = HEAD + "  uint i = asuint(y[0]);\n  y[i | 1024] = 1;\n}\n"
# A driver may also refuse at once what it does not compile.
KINDS = [(ENDLESS, "1", ["timeout"]), (LONG, "60000", ["timeout"]),
         (DEEP, "1", ["timeout", "runtime_error"]), (OUTSIDE, "1", ["out_of_bounds"])]


def read(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def shown(what, value, limit, unit="ms"):
    met = "" if value < limit else "   MISSED"
    print(f"{what:<44} {value:9.1f} {unit}   < {limit} {unit}{met}")


def shader_of(source, groups):
    return {
        "language": "hlsl",
        "source": source,
        "launches": [{"entry": "bad", "grid": [groups, groups], "block": ["1"], "args": ["y"]}],
    }


def bad_shaders(server, device):
    """Whether each was judged rightly."""
    fine = True
    for number in range(BAD):
        source, groups, wanted = KINDS[number % len(KINDS)]
        kernel = shader_of(f"// {number}\n{source}", groups)
        made, _ = server.call("compile_kernel", problem=base.PROBLEM, kernel=kernel, device=device)
        seen, _ = server.call("validate", kernel_id=made["kernel_id"], device=device)
        if seen["verdict"] not in wanted:
            print(f"{' or '.join(wanted)} expected: {seen}")
            fine = False
    return fine


def against_cuda(server, executable, folder, device):
    """Whether the examples are judged rightly; left out where CUDA has no GPU or the shaders have none."""
    listed, _ = server.call("list_devices")
    rows = {row["id"]: row for row in listed["devices"]}
    if "cuda:0" not in rows or rows[device]["emulated"]:
        print("left out: the examples on a GPU, and their speed against CUDA (no GPU that runs both)")
        return True
    fine = vulkan_speed.examples(server, device)
    vulkan_speed.copies(server, device, "cuda:0")
    vulkan_speed.products(server, executable, folder, device, "cuda:0")
    return fine


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else base.ROOT / "build")
    device = sys.argv[2] if len(sys.argv) > 2 else "vulkan:0"
    with tempfile.TemporaryDirectory() as folder:
        executable = str(build / "bin" / "warpsmith")
        server = base.Server(executable, folder)
        problem = read(base.MATMUL, "problem")
        kernel = read(SHADERS / "matmul", "tiled")
        made, _ = server.call("compile_kernel", problem=problem, kernel=kernel, device=device)
        times = [
            server.call("compile_kernel", problem=problem, kernel=kernel, device=device,
                        fresh=True)[1]
            for _ in range(COMPILES)
        ]
        shown("warm compile of the tiled matmul", statistics.median(times), 60)
        times = [
            server.call("validate", kernel_id=made["kernel_id"], device=device, level="quick",
                        fresh=True)[1]
            for _ in range(VALIDATIONS)
        ]
        shown("validate, quick", statistics.median(times), 1000)
        fine = bad_shaders(server, device)
        print(f"{BAD} shaders that hang or store outside: {'judged' if fine else 'NOT judged'}")
        seen, _ = server.call("validate", kernel_id=made["kernel_id"], device=device, fresh=True)
        print(f"the next one: {seen['verdict']}", flush=True)
        fine = fine and seen["verdict"] == "passed"
        sys.exit(0 if against_cuda(server, executable, folder, device) and fine else 1)


if __name__ == "__main__":
    main()
