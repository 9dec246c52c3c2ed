#!/usr/bin/env python3
"""The figures of the page; see page.sh."""

import argparse
import gzip
import http.client
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from mcp import load, wrk_script
from mcp_servers import ROOT, Server, message

FIRST_VIEW_MS = {10_000: 300, 1_000_000: 1000}
PAGES = 200


def figure(what, value, goal, unit):
    missed = "" if value <= goal else "  MISSED"
    print(f"{what:<58} {value:9.1f} {unit:<4} goal {goal:g}{missed}", flush=True)


def filled(build, folder, kernels):
    """The folder of an archive of so many kernels, made where it is not there."""
    data = folder / str(kernels)
    if not (data / "archive.db").exists():
        data.mkdir(parents=True)
        subprocess.run([build / "bin/ws_search_bench", str(kernels), "50", data], check=True,
                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return data


def server_of(build, data):
    return Server("warpsmith", [build / "bin/warpsmith", "serve", "--no-gpu", "--data", data]).open("http")


def fetched(server, path, packed=True):
    """The body as it was sent, and the milliseconds that it took."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    start = time.perf_counter()
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"} if packed else {})
    answer = connection.getresponse()
    body = answer.read()
    took = (time.perf_counter() - start) * 1000
    connection.close()
    if answer.status != 200:
        sys.exit(f"{path}: {answer.status}")
    return body, answer.getheader("Content-Encoding") == "gzip", took


def size_of_page(server):
    """Bytes of all parts as they are sent, the modules found by their imports."""
    waiting, sizes = ["/"], {}
    while waiting:
        path = waiting.pop()
        if path in sizes:
            continue
        body, packed, _ = fetched(server, path)
        sizes[path] = len(body)
        text = (gzip.decompress(body) if packed else body).decode()
        folder = "/page/assets/"
        waiting += re.findall(r'(?:src|href)="(/page/assets/[^"]+)"', text)
        waiting += [folder + name for name in re.findall(r'from "\./([a-z]+\.js)"', text)]
    return sum(sizes.values())


def first_data_ms(server):
    return statistics.median(fetched(server, "/page/data/problems")[2] for _ in range(15))


def in_browser(build, *words):
    """The numbers that page_browser.mjs prints, by name."""
    node = build / "page/node_modules/.bin/node"
    chromium = shutil.which("chromium")
    if not node.exists() or chromium is None:
        return None
    printed = subprocess.run(
        [node, ROOT / "tests/bench/page_browser.mjs", "--modules", build / "page", "--chromium", chromium,
         *words], check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in re.findall(r"^(\w+) ([\d.]+)$", printed, re.M)}


def measure_first_view(build, folder, kernels):
    server = server_of(build, filled(build, folder, kernels))
    goal = FIRST_VIEW_MS.get(kernels, 1000)
    figure(f"data of the first view, {kernels} kernels", first_data_ms(server), goal, "ms")
    seen = in_browser(build, f"http://127.0.0.1:{server.port}/")
    if seen is None:
        print("left out: figures in a browser (./test.sh installs it)")
    else:
        figure(f"first view in a browser, {kernels} kernels", seen["first"], goal, "ms")
        figure("a lineage of 500 kernels in a line is laid out", seen["line"], 500, "ms")
        figure("a lineage of 500 kernels in a bush is laid out", seen["bush"], 500, "ms")
    figure("the page with all its parts, compressed", size_of_page(server) / 1024, 400, "KiB")
    server.close()


class Pages:
    """Streams of events, as open pages hold them, which are read and forgotten."""

    def __init__(self, server, count):
        self.connections = []
        for _ in range(count):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            connection.request("GET", "/page/events")
            self.connections.append((connection, connection.getresponse()))
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.open = True
        self.thread.start()

    def read(self):
        while self.open:
            for _, answer in self.connections:
                answer.fp.raw._sock.setblocking(False)  # What has come, and no more.
                try:
                    answer.fp.raw._sock.recv(65536)
                except BlockingIOError:
                    pass
            time.sleep(0.2)

    def close(self):
        self.open = False
        self.thread.join()
        for connection, _ in self.connections:
            connection.close()


def small_program():
    """The CuIR that the tests have too."""
    forms = (ROOT / "tests/support/cuir_forms.h").read_text()
    program = re.search(r'kDoubling =\n(.*?);', forms, re.S).group(1)
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', program)).replace("\\n", "\n")


def small_question(text, seed):
    """A call whose work is small; each seed is another question."""
    return message("tools/call", {"name": "verify_ir", "arguments": {
        "ir": text, "mode": "race_only", "schedules": 1, "seed": seed}})


def keep_busy(server, until):
    """Small jobs, one after another: each changes what the pages show."""
    text = small_program()
    number = 0
    while not until.is_set():
        number += 1
        server.post(small_question(text, number))
        until.wait(0.25)


def measure_open_pages(build, folder, options):
    server = server_of(build, filled(build, folder, 10_000))
    script = folder / "calls.lua"
    script.write_text(wrk_script(True))
    done = threading.Event()
    busy = threading.Thread(target=keep_busy, args=(server, done))
    busy.start()
    load(server, script, 4, options.seconds)
    before = server.rss_mib()
    ratios, grown = [], []
    for _ in range(options.rounds):
        alone = load(server, script, 4, options.seconds)["rps"]
        pages = Pages(server, PAGES)
        time.sleep(1)
        beside = load(server, script, 4, options.seconds)["rps"]
        grown.append(server.rss_mib() - before)
        pages.close()
        time.sleep(1)
        ratios.append(alone / beside)
    done.set()
    busy.join()
    server.close()
    figure(f"{PAGES} open pages cost of the calls of tools", (statistics.median(ratios) - 1) * 100, 10, "%")
    figure(f"{PAGES} open pages cost memory", max(grown), 20, "MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, nargs="?", default=ROOT / "build-test")
    parser.add_argument("--kernels", default="10000,1000000")
    parser.add_argument("--archives", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = options.archives or pathlib.Path(name)
        for kernels in map(int, options.kernels.split(",")):
            measure_first_view(build, folder, kernels)
        measure_open_pages(build, folder, options)


if __name__ == "__main__":
    main()
