"""What tests/bench/mcp.sh measures. Standard library, and wrk."""

import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from mcp_servers import call, ENVELOPE, PEER, ROOT, Server, headers_of, install_peer, message

CONNECTIONS = (1, 16, 64)
STDIO_CALLS = 2000
COLD_STARTS = 15
WAITING = 1000
LISTENERS = 500


def wrk_script(differ):
    """Calls that are all the same, or all different."""
    mark = 599999
    body = message("tools/call", call(mark))
    before, after = json.dumps(body).split(str(mark))
    lines = ['wrk.method = "POST"', f"wrk.body = [=[{json.dumps(body)}]=]"]
    lines += [f'wrk.headers["{name}"] = "{value}"' for name, value in headers_of(body).items()]
    if differ:
        lines.append(f"""
local number = 0
request = function()
  number = (number + 1) % 600000
  return wrk.format(nil, nil, nil, [=[{before}]=] .. number .. [=[{after}]=])
end""")
    # Microseconds, of all that was answered; and how many answers were none.
    lines.append("""
done = function(summary, latency)
  local bad = summary.errors
  io.write(string.format("\\nRESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99),
    bad.connect + bad.read + bad.write + bad.status + bad.timeout))
end""")
    return "\n".join(lines)


def load(server, script, connections, seconds):
    """One run of wrk: requests a second, p50 and p99 in ms."""
    printed = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "20s", "-s", script,
         f"http://127.0.0.1:{server.port}/mcp"],
        check=True, capture_output=True, text=True).stdout
    requests, duration, p50, p99, errors = map(
        int, re.search(r"RESULT (\d+) (\d+) (\d+) (\d+) (\d+)", printed).groups())
    if errors:
        sys.exit(f"{server.name}: {errors} requests failed")
    return {"rps": requests / duration * 1e6, "p50_ms": p50 / 1000, "p99_ms": p99 / 1000}


def middle(runs):
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def check(server, answer):
    got = server.post(message("tools/call", call(1)))[0]["structuredContent"]
    if set(got) != set(answer):
        sys.exit(f"{server.name} gives another answer: {got}")


def measure_http(servers, answer, options, folder):
    (folder / "calls.lua").write_text(wrk_script(True))
    (folder / "call.lua").write_text(wrk_script(False))
    rows = {}
    for server in servers:
        server.open("http")
    for script, title in (("calls.lua", "HTTP, {} at once"),
                          ("call.lua", "HTTP, {} at once, the same call")):
        for connections in CONNECTIONS:
            runs = {server.name: [] for server in servers}
            for _ in range(options.rounds):
                for server in servers:  # In turns: both see the machine's moods.
                    check(server, answer)
                    runs[server.name].append(
                        load(server, folder / script, connections, options.seconds))
            rows[title.format(connections)] = {name: middle(all_runs)
                                               for name, all_runs in runs.items()}
    rows["RSS after that"] = {server.name: {"mib": server.rss_mib()} for server in servers}
    for server in servers:
        server.close()
    return rows


def measure_stdio(servers):
    rows = {"stdio": {}, "stdio, cold start": {}}
    times = {server.name: [] for server in servers}
    for _ in range(COLD_STARTS):
        for server in servers:
            start = time.perf_counter()
            server.open("stdio").ask(message("server/discover", {}))
            times[server.name].append((time.perf_counter() - start) * 1000)
            server.close()
    for server in servers:
        rows["stdio, cold start"][server.name] = {"p50_ms": statistics.median(times[server.name])}
        server.open("stdio")
        took = sorted(server.ask(message("tools/call", call(number), number))[1]
                      for number in range(STDIO_CALLS))
        rows["stdio"][server.name] = {"p50_ms": took[len(took) // 2],
                                      "p99_ms": took[len(took) * 99 // 100]}
        server.close()
    return rows


def raw_request(port, body):
    connection = socket.create_connection(("127.0.0.1", port))
    text = json.dumps(body)
    head = "".join(f"{name}: {value}\r\n" for name, value in headers_of(body).items())
    connection.sendall((f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}"
                        f"Content-Length: {len(text)}\r\n\r\n{text}").encode())
    return connection


def kernel(value):
    source = f"__global__ void k(float* y) {{ *y = {value}.0f; }}\n"
    launch = [{"entry": "k", "grid": ["1"], "block": ["1"], "args": ["y"]}]
    form = {"language": "cuda", "source": source, "launches": launch}
    problem = {"name": "bench_one", "dims": {"n": [1]},
               "args": [{"name": "y", "type": "f32", "shape": ["n"], "role": "out"}],
               "reference": {"kind": "kernel", "entry": "k", **form}}
    return {"name": "compile_kernel", "arguments": {"problem": problem, "kernel": form}}


def measure_crowd(server):
    """Another client's requests while calls of one client wait for a device."""
    server.open("http")
    ours = server.post(message("tools/call", kernel(1)))[0]["structuredContent"]
    waiting = []
    for number in range(WAITING):
        body = message("tools/call", {
            "name": "benchmark",
            "arguments": {"kernel_id": ours["kernel_id"], "baseline": "none", "wait_ms": 600000,
                          "time_budget_ms": 60000 + number % 250}})
        waiting.append(raw_request(server.port, body))
    time.sleep(1)
    other = message("tools/call", {"name": "list_devices", "arguments": {}})
    other["params"]["_meta"] = {**ENVELOPE, "io.modelcontextprotocol/clientInfo":
                               {"name": "other", "version": "1"}}
    quick = [server.post(other)[1] for _ in range(20)]
    compile_body = message("tools/call", kernel(2))
    compile_body["params"]["arguments"]["wait_ms"] = 0
    compile_body["params"]["_meta"] = other["params"]["_meta"]
    accepted = server.post(compile_body)[1]
    start = time.perf_counter()
    for connection in waiting:
        connection.close()
    probe = message("tools/call", {"name": "validate", "arguments": {
        "kernel_id": ours["kernel_id"], "fresh": True, "wait_ms": 60000}})
    server.post(probe, timeout=90)
    freed = (time.perf_counter() - start) * 1000
    server.close()
    return {f"{WAITING} calls wait: another's quick call":
            {server.name: {"p50_ms": statistics.median(quick), "p99_ms": max(quick)}},
            f"{WAITING} calls wait: compile_kernel accepted": {server.name: {"p50_ms": accepted}},
            f"{WAITING} calls leave: the next validate is done":
            {server.name: {"p50_ms": freed}}}


def measure_listeners(server, options, folder):
    script = folder / "calls.lua"
    server.open("http")
    body = message("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    runs = {"alone": [], "beside": []}
    for _ in range(options.rounds):
        runs["alone"].append(load(server, script, 16, options.seconds))
        streams = [raw_request(server.port, body) for _ in range(LISTENERS)]
        for stream in streams:
            stream.recv(4096)
        runs["beside"].append(load(server, script, 16, options.seconds))
        for stream in streams:
            stream.close()
        time.sleep(0.2)
    server.close()
    return {"HTTP, 16 at once, alone": {server.name: middle(runs["alone"])},
            f"HTTP, 16 at once beside {LISTENERS} idle streams":
            {server.name: middle(runs["beside"])}}


def show(rows, names):
    print(f"{'':48}" + "".join(f"{name:>38}" for name in names) + f"{'ratio':>9}")
    for title, row in rows.items():
        cells = [" ".join(f"{key} {value:.4g}" for key, value in row.get(name, {}).items())
                 for name in names]
        key = next(iter(row[names[0]]))
        ratio = ""
        if len(row) == 2:
            ours, peers = row[names[0]][key], row[names[1]][key]
            ratio = f"{ours / peers if key == 'rps' else peers / ours:.1f}x"
        print(f"{title:48}" + "".join(f"{cell:>38}" for cell in cells) + f"{ratio:>9}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--peer", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("wrk is missing: apt-get install wrk")
    peer = install_peer((options.peer or options.build / "bench-peer").resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours = Server("warpsmith", [options.build.resolve() / "bin" / "warpsmith", "serve",
                                    "--data", folder / "data"])
        answer = ours.open("http").post(message("tools/call", call(1)))[0]["structuredContent"]
        ours.close()
        (folder / "answer.json").write_text(json.dumps(answer))
        theirs = Server("TypeScript SDK 2.4.0", [peer / "node_modules/.bin/node", PEER,
                                                 folder / "answer.json"], cwd=peer)
        servers = [ours, theirs]
        rows = measure_http(servers, answer, options, folder)
        rows.update(measure_stdio(servers))
        rows.update(measure_crowd(ours))
        rows.update(measure_listeners(ours, options, folder))
    if options.json:
        print(json.dumps({"load": os.getloadavg(), "cores": os.cpu_count(), "rows": rows}))
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end; medians of "
          f"{options.rounds} runs of {options.seconds} s, in turns")
    show(rows, [server.name for server in servers])


if __name__ == "__main__":
    main()
