"""What tests/bench/base.sh measures. Standard library only."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MATMUL = ROOT / "examples" / "kernels" / "matmul"

COLD_STARTS = 20
WARM_CALLS = 200
TIMED_CALLS = 2000
COMPILES = 9
VALIDATIONS = 5
CRASHING = 100
HANGING = 20

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}

# n = 1 keeps the reference cheap, so that the time is the bad kernel's own.
PROBLEM = {
    "name": "bench_bad",
    "dims": {"n": [1]},
    "args": [{"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
    "reference": {
        "kind": "kernel",
        "language": "cuda",
        "entry": "reference",
        "source": "__global__ void reference(float* y) { *y = 1.0f; }\n",
        "launches": [{"entry": "reference", "grid": ["1"], "block": ["1"], "args": ["y"]}],
    },
}
CRASH = "__global__ void bad(float* y) { *y = 1.0f; __trap(); }\n"
HANG = "__global__ void bad(float* y) { volatile int on = 1; while (on) { } *y = 1.0f; }\n"


class Server:
    """warpsmith serve --stdio with a data folder, spoken to one request at a time."""

    def __init__(self, executable, data_dir):
        self.process = subprocess.Popen(
            [executable, "serve", "--stdio", "--data", data_dir, "--log-level", "error"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.last_id = 0

    def line(self, method, **params):
        """The bytes of one request."""
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        message["params"] = dict(params, _meta=ENVELOPE)
        return json.dumps(message).encode() + b"\n"

    def exchange(self, line):
        """Sends a request; its answer as it came and the milliseconds between."""
        start = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        ms = (time.perf_counter() - start) * 1e3
        if not answer:
            sys.exit("the server has ended")
        return answer, ms

    def call(self, tool, **arguments):
        """The structured content of a tool's answer, and the milliseconds it took."""
        answer, ms = self.exchange(self.line("tools/call", name=tool, arguments=arguments))
        message = json.loads(answer)
        result = message.get("result", message)
        if "structuredContent" not in result:
            sys.exit(f"{tool} was refused: {json.dumps(result)[:400]}")
        return result["structuredContent"], ms

    def rss_mb(self):
        """Resident memory of the server process alone, without its workers."""
        for row in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if row.startswith("VmRSS:"):
                return int(row.split()[1]) / 1024
        return sys.exit("no VmRSS in /proc")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def matmul(name):
    return json.loads((MATMUL / f"{name}.json").read_text())


def square_matmul():
    """The example's problem at n = 256 alone."""
    problem = matmul("problem")
    problem["dims"]["k"] = dict(problem["dims"]["k"], values=[256])
    return problem


def changed(kernel, number):
    """The same kernel with another comment, so that no cache knows it."""
    return dict(kernel, source=f"// {number}\n" + kernel["source"])


def cold_start(executable, data_dirs):
    """Milliseconds from the start of the process to its first answer, a start per folder."""
    times = []
    for data_dir in data_dirs:
        start = time.perf_counter()
        server = Server(executable, data_dir)
        server.exchange(server.line("server/discover"))
        times.append((time.perf_counter() - start) * 1e3)
        server.close()
    return statistics.median(times)


def round_trips(server, method, **params):
    times = []
    for _ in range(WARM_CALLS + TIMED_CALLS):
        times.append(server.exchange(server.line(method, **params))[1] * 1e3)
    return times[WARM_CALLS:]


def quiet_figures(executable, folder):
    """Everything but the bad kernels, as {name: value}."""
    figures = {
        "first_start_ms": cold_start(executable, [f"{folder}/{n}" for n in range(COLD_STARTS)]),
        "cold_start_ms": cold_start(executable, [f"{folder}/0"] * COLD_STARTS),
    }
    server = Server(executable, f"{folder}/data")
    server.exchange(server.line("server/discover"))
    time.sleep(1)
    figures["idle_rss_mb"] = server.rss_mb()
    server.call("list_devices")  # Starts the compiler, whose version it tells.
    calls = round_trips(server, "tools/call", name="list_devices", arguments={})
    figures["call_p50_us"] = statistics.median(calls)
    figures["call_p99_us"] = percentile(calls, 99)
    figures["discover_p50_us"] = statistics.median(round_trips(server, "server/discover"))

    problem, naive = square_matmul(), matmul("naive")
    first = server.call("compile_kernel", problem=problem, kernel=naive)[0]
    sent = {"problem_id": first["problem_id"]}
    fresh = [server.call("compile_kernel", kernel=changed(naive, n), **sent)
             for n in range(COMPILES)]
    again = [server.call("compile_kernel", kernel=naive, **sent) for _ in range(COMPILES)]
    if {answer["cache"] for answer, _ in fresh} != {"miss"}:
        sys.exit("a compile that should be new came from the cache")
    if {answer["cache"] for answer, _ in again} != {"hit"}:
        sys.exit("a compile that should be known was done again")
    figures["warm_compile_ms"] = statistics.median(ms for _, ms in fresh)
    figures["same_again_ms"] = statistics.median(ms for _, ms in again)

    runs = [server.call("validate", kernel_id=first["kernel_id"], fresh=True)
            for _ in range(VALIDATIONS)]
    if {answer["verdict"] for answer, _ in runs} != {"passed"}:
        sys.exit("the naive matmul does not pass")
    figures["validate_quick_ms"] = statistics.median(ms for _, ms in runs)
    figures["used_rss_mb"] = server.rss_mb()
    server.close()
    return figures


def bad_kernels(executable, folder):
    """Crashing and hanging kernels in a row; what the server said of them and after them."""
    server = Server(executable, f"{folder}/bad")
    problem_id = None
    start = time.perf_counter()
    verdicts = {"crashing": {}, "hanging": {}}
    answered = 0
    kinds = [("crashing", CRASH)] * CRASHING + [("hanging", HANG)] * HANGING
    for number, (kind, source) in enumerate(kinds):
        launch = {"entry": "bad", "grid": ["1"], "block": ["1"], "args": ["y"]}
        kernel = {"name": kind, "language": "cuda", "source": f"// {number}\n" + source,
                  "launches": [launch]}
        where = {"problem_id": problem_id} if problem_id else {"problem": PROBLEM}
        compiled, _ = server.call("compile_kernel", kernel=kernel, **where)
        problem_id = compiled["problem_id"]
        answer, _ = server.call("validate", kernel_id=compiled["kernel_id"])
        verdict = answer.get("verdict", answer["status"])
        verdicts[kind][verdict] = verdicts[kind].get(verdict, 0) + 1
        answered += "supportedVersions" in json.loads(
            server.exchange(server.line("server/discover"))[0])["result"]
    seconds = time.perf_counter() - start
    honest, _ = server.call("compile_kernel", problem=square_matmul(), kernel=matmul("naive"))
    after, _ = server.call("validate", kernel_id=honest["kernel_id"])
    rss = server.rss_mb()
    server.close()
    survived = (answered == len(kinds) and after["verdict"] == "passed"
                and all("passed" not in kind for kind in verdicts.values()))
    return {"verdicts": verdicts, "answered_after_each": answered, "seconds": seconds,
            "honest_kernel_after": after["verdict"], "rss_mb": rss, "survived": survived}


# name, what it is, unit, the figure to stay below (None: told, not judged)
ROWS = [
    ("cold_start_ms", "cold start to the first discover answer", "ms", 20),
    ("first_start_ms", "the same with a new data folder", "ms", 20),
    ("call_p50_us", "tools/call list_devices over stdio, p50", "us", 50),
    ("call_p99_us", "tools/call list_devices over stdio, p99", "us", None),
    ("discover_p50_us", "server/discover over stdio, p50", "us", None),
    ("warm_compile_ms", "naive matmul n = 256, warm compile", "ms", 250),
    ("same_again_ms", "the same again, end to end", "ms", 2),
    ("validate_quick_ms", "validate quick of it", "ms", 1000),
    ("idle_rss_mb", "server RSS, idle", "MB", 30),
    ("used_rss_mb", "server RSS after all of these", "MB", None),
]


def print_table(figures, bad):
    print(f"{'figure':<45}{'measured':>12}   {'to reach':<10}")
    for name, what, unit, limit in ROWS:
        goal = "" if limit is None else f"< {limit} {unit}"
        mark = "" if limit is None else "reached" if figures[name] < limit else "MISSED"
        print(f"{what:<45}{figures[name]:>9.2f} {unit:<3}  {goal:<10} {mark}")
    for kind, verdicts in bad["verdicts"].items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        print(f"{kind + ' kernels in a row':<45}{told}")
    print(f"{'answers between them':<45}{bad['answered_after_each']} of {CRASHING + HANGING}, "
          f"in {bad['seconds']:.0f} s")
    print(f"{'the next honest kernel':<45}{bad['honest_kernel_after']}; "
          f"server RSS {bad['rss_mb']:.1f} MB")


def main():
    parser = argparse.ArgumentParser(prog="base.sh", description="The figures of the base.")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    executable = str(pathlib.Path(options.build).resolve() / "bin" / "warpsmith")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        figures = quiet_figures(executable, folder)
        bad = bad_kernels(executable, folder)
    if options.json:
        print(json.dumps({"figures": figures, "bad_kernels": bad, "load_before": load,
                          "cores": os.cpu_count()}))
    else:
        print(f"{os.cpu_count()} cores, load {load:.1f} before the start\n")
        print_table(figures, bad)
    sys.exit(0 if bad["survived"] else 1)


if __name__ == "__main__":
    main()
