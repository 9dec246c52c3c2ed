"""What tests/bench/spread.sh measures. Standard library only."""

import argparse
import json
import subprocess
import sys
import tempfile
import time

JOBS = 200
GOAL = 1.9
MAX_N = 65536
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def kernel_source(entry):
    return (
        f"__global__ void {entry}(int* values, int n) {{\n"
        "  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] += 1;\n}\n"
    )


def launches(entry):
    return [{"entry": entry, "grid": ["1"], "block": ["256"], "args": ["values", "n"]}]


def problem():
    return {
        "name": "bump",
        "dims": {"n": {"values": [64], "min": 1, "max": MAX_N}},
        "args": [
            {
                "name": "values",
                "type": "i32",
                "shape": ["n"],
                "role": "inout",
                "fill": {"kind": "range", "low": -1000, "high": 1000},
            }
        ],
        "reference": {
            "kind": "kernel",
            "language": "cuda",
            "entry": "add_one",
            "source": kernel_source("add_one"),
            "launches": launches("add_one"),
        },
    }


class Server:
    """A server on stdio that is sent many requests before it answers the first."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0

    def send(self, tool, arguments):
        self.last_id += 1
        params = {"name": tool, "arguments": arguments, "_meta": ENVELOPE}
        message = {
            "jsonrpc": "2.0",
            "id": self.last_id,
            "method": "tools/call",
            "params": params,
        }
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def receive(self):
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the server has ended")
        result = json.loads(line).get("result", {})
        if "structuredContent" not in result:
            sys.exit(f"a call was refused: {line.decode()[:400]}")
        return result["structuredContent"]

    def call(self, tool, **arguments):
        self.send(tool, arguments)
        return self.receive()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def validate_all(server, kernel, first_n, **where):
    """Seconds for JOBS validations of sizes that nobody asked about before."""
    start = time.perf_counter()
    for i in range(JOBS):
        asked = {"kernel_id": kernel, "workloads": [{"n": first_n + i}], "wait_ms": 600000}
        server.send("validate", dict(asked, **where))
    for _ in range(JOBS):
        answer = server.receive()
        if answer.get("verdict") != "passed" or answer.get("age_s") != 0:
            sys.exit(f"a validation went wrong: {json.dumps(answer)[:400]}")
    return time.perf_counter() - start


def two_alike(server):
    """Two GPUs that are alike, the default one first; None where there are not."""
    devices = server.call("list_devices")["devices"]
    usable = [d for d in devices if d["id"].startswith("cuda:") and d.get("arch")]
    alike = [d["id"] for d in usable if (d["name"], d["arch"]) == (usable[0]["name"], usable[0]["arch"])]
    return alike[:2] if len(alike) > 1 else None


def measure(server, devices, entry):
    kernel = {
        "name": "bump",
        "language": "cuda",
        "source": kernel_source(entry),
        "launches": launches(entry),
    }
    compiled = server.call("compile_kernel", problem=problem(), kernel=kernel)
    kernel_id = compiled["kernel_id"]
    # Drivers and compilers start with their first work.
    for i, device in enumerate(devices):
        warm = {"workloads": [{"n": i + 1}], "device": device, "wait_ms": 600000}
        server.call("validate", kernel_id=kernel_id, **warm)
    sizes = MAX_N // 2
    one_s = validate_all(server, kernel_id, sizes, device=devices[0])
    two_s = validate_all(server, kernel_id, sizes + JOBS)
    ratio = one_s / two_s
    print(f"{JOBS} validations on {devices[0]}: {one_s:.2f} s, {JOBS / one_s:.1f} a second")
    print(f"{JOBS} validations on {' and '.join(devices)}: {two_s:.2f} s, {JOBS / two_s:.1f} a second")
    print(f"ratio of throughputs: {ratio:.2f} (goal: at least {GOAL}), "
          + ("reached" if ratio >= GOAL else "missed"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="build-test/bin")
    parser.add_argument("--fake", action="store_true")
    options = parser.parse_args()
    program = "ws_fake_gpu_server" if options.fake else "warpsmith"
    with tempfile.TemporaryDirectory() as data:
        command = [f"{options.folder}/{program}", "serve", "--stdio", "--log-level", "error",
                   "--data", data]
        server = Server(command + (["2"] if options.fake else []))
        devices = two_alike(server)
        if devices is None:
            print("left out: validations on two GPUs (there are not two that are alike here)")
        else:
            measure(server, devices, "nap" if options.fake else "add_one")
        server.close()


if __name__ == "__main__":
    main()
