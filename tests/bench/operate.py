#!/usr/bin/env python3
"""What it costs to watch, attack and back up a server, measured on this machine.

    tests/bench/operate.py BUILD_FOLDER [--kernels 100000] [--rounds 5] [--seconds 3] [--archives DIR]
                           [--only logs|half-open|backup]

Logs: requests a second with each kind of log, and the server's processor time for one, in turns, as
ratios to a server that writes none.
Half-open: one client's answers while 5,000 others never end their heads.
Backup: an archive of so many kernels is copied while the server answers. It lies in $TMPDIR, where
1,000,000 kernels need 9 GB; one that is there already in the folder --archives is used. Needs wrk
(apt-get install wrk).
"""

import argparse
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from mcp import load, wrk_script
from mcp_servers import Server, call, message
from page import filled

HALF_OPEN = 5000
PINGS = 2000


def server_of(build, data, *options, errors=subprocess.DEVNULL):
    return Server("warpsmith", [build / "bin/warpsmith", "serve", "--no-gpu", "--data", data, *options],
                  errors=errors)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def ping_times(server, until):
    """Milliseconds of small calls, each on a connection of its own, until `until` says so."""
    times = []
    while not until(len(times)):
        times.append(server.post(message("tools/call", call(len(times))))[1])
    return times


def processor_s(server):
    """Seconds of the processor that the server has used, user and system.

    @source Linux: clock_getcpuclockid(3); /proc/PID/stat has the same in steps of 10 ms."""
    return time.clock_gettime((~server.process.pid << 3) | 2)


def measure_logs(build, folder, options):
    """Client and server share the cores: requests a second are noisy, the server's own time less so."""
    script = folder / "calls.lua"
    script.write_text(wrk_script(True))
    audit = ["--audit", folder / "audit.jsonl"]
    kinds = {
        "no log": ["--log-level", "off"],
        "a line of text": [],
        "a line of JSON": ["--log-format", "json"],
        "an audit log": ["--log-level", "off", *audit],
        "JSON and an audit log": ["--log-format", "json", *audit],
        "the same, and traces": ["--log-format", "json", *audit, "--otlp", "http://127.0.0.1:1"],
    }
    log = open(folder / "log", "wb")
    servers = {kind: server_of(build, folder / "data", *flags, errors=log) for kind, flags in kinds.items()}
    rates = {kind: [] for kind in kinds}
    costs = {kind: [] for kind in kinds}
    for server in servers.values():
        server.open("http")
    for turn in range(options.rounds):
        # Each turn in another order: what comes first finds another machine than what comes last.
        for kind in sorted(kinds, key=lambda _: random.random()):
            before = processor_s(servers[kind])
            rates[kind].append(load(servers[kind], script, 16, options.seconds)["rps"])
            costs[kind].append((processor_s(servers[kind]) - before) / (rates[kind][turn] * options.seconds) * 1e6)
    for server in servers.values():
        server.close()
    for kind in kinds:
        ratio = statistics.median(one / other for one, other in zip(rates[kind], rates["no log"]))
        cost = statistics.median(one / other for one, other in zip(costs[kind], costs["no log"]))
        print(f"{kind:24} {statistics.median(rates[kind]):8.0f} requests/s, {ratio:.3f} of those without a log; "
              f"{statistics.median(costs[kind]):6.2f} us of the processor for each, {cost:.3f} of it")


def measure_half_open(build, folder):
    server = server_of(build, folder / "data", "--log-level", "off").open("http")
    before = percentile(ping_times(server, lambda count: count == PINGS), 0.99)
    held = []
    for number in range(HALF_OPEN):
        # Loopback has many addresses; one address may have 1,024 connections.
        link = socket.socket()
        link.bind((f"127.0.0.{2 + number % 250}", 0))
        link.connect(("127.0.0.1", server.port))
        link.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ")
        held.append(link)
    times = ping_times(server, lambda count: count == PINGS)
    print(f"{HALF_OPEN} half-open connections: a call's p50 {statistics.median(times):.2f} ms, "
          f"p99 {percentile(times, 0.99):.2f} ms ({before:.2f} without), RSS {server.rss_mib():.0f} MiB")
    for link in held:
        link.close()
    server.close()


def measure_backup(build, folder, options):
    kernels = options.kernels
    data = filled(build, options.archives or folder, kernels)
    server = server_of(build, data, "--log-level", "off").open("http")
    search = message("tools/call", {"name": "search_prior_kernels", "arguments": {"query": "w7"}})

    def answers(until):
        times = []
        while not until(len(times)):
            times.append(server.post(search)[1])
        return times

    before = answers(lambda count: count == 500)
    done = threading.Event()
    printed = []

    def copy():
        start = time.monotonic()
        ran = subprocess.run([build / "bin/warpsmith", "archive", "backup", folder / "copy.db", "--data", data],
                             capture_output=True, text=True)
        printed.append((ran.returncode, ran.stdout + ran.stderr, time.monotonic() - start))
        done.set()

    thread = threading.Thread(target=copy)
    thread.start()
    during = answers(lambda _: done.is_set())
    thread.join()
    status, text, seconds = printed[0]
    if status != 0:
        sys.exit(f"the backup failed: {text}")
    size = (data / "archive.db").stat().st_size
    print(f"backup of {kernels} kernels, {size / 1e9:.2f} GB: {seconds:.1f} s; "
          f"searches meanwhile ({len(during)}) p99 {percentile(during, 0.99):.1f} ms, "
          f"before {percentile(before, 0.99):.1f} ms")
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--kernels", type=int, default=100000)
    parser.add_argument("--archives", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", choices=["logs", "half-open", "backup"])
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.only in (None, "logs"):
            measure_logs(build, folder, options)
        if options.only in (None, "half-open"):
            measure_half_open(build, folder)
        if options.only in (None, "backup"):
            measure_backup(build, folder, options)


if __name__ == "__main__":
    main()
