#!/usr/bin/env python3
"""200 clients of four principals on one server, for a while, measured on this machine.

    tests/bench/crowd.py BUILD_FOLDER [--clients 200] [--seconds 180]

Each client sends one small verification after the other, every one another question. Three
principals name their clients honestly, the fourth makes up a name for each request. Prints how many
calls failed, the share of each principal in the finished work as a ratio to an equal share, and the
server's memory. Exit status 1: a call failed, a ratio is above 1.2 or the memory above 60 MiB.
"""

import argparse
import http.client
import json
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from mcp_servers import ENVELOPE, Server, headers_of
from page import small_program, small_question

PRINCIPALS = ("ada", "bob", "cyd", "made-up names")
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"


def question(text, seed, client):
    body = small_question(text, seed)
    body["params"]["_meta"] = {**ENVELOPE, CLIENT_INFO: {"name": client, "version": "1"}}
    return body


def is_answer(status, text):
    if status != 200:
        return False
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    result = json.loads(lines[-1] if lines else text).get("result", {})
    return not result.get("isError") and result.get("structuredContent", {}).get("verdict") == "ok"


class Client:
    """Asks until the end; counts what it was answered, and keeps the first answer that was none."""

    def __init__(self, principal, number, token, port, makes_up):
        self.name = f"{principal} {number}"
        self.token = token
        self.port = port
        self.makes_up = makes_up
        self.first_seed = 1 + 1_000_000 * (PRINCIPALS.index(principal) * 1000 + number)
        self.done = 0
        self.failed = 0
        self.failure = ""

    def run(self, end):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        text = small_program()
        number = 0
        while time.monotonic() < end:
            number += 1
            client = f"{self.name} {number}" if self.makes_up else self.name
            body = question(text, self.first_seed + number, client)
            headers = {**headers_of(body), "Authorization": f"Bearer {self.token}"}
            try:
                link.request("POST", "/mcp", json.dumps(body), headers)
                answer = link.getresponse()
                got = answer.read().decode()
                good = is_answer(answer.status, got)
            except OSError as error:
                good, got = False, repr(error)
            self.done += good
            if not good:
                self.failed += 1
                self.failure = self.failure or got[:300]
        link.close()


def crowd_of(principal, count, token, port, end, results):
    """The clients of one principal, in a process of their own."""
    clients = [Client(principal, number, token, port, principal == PRINCIPALS[-1])
               for number in range(count)]
    threads = [threading.Thread(target=client.run, args=(end,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failures = [client.failure for client in clients if client.failure]
    results.put((principal, sum(client.done for client in clients),
                 sum(client.failed for client in clients), failures[:1]))


def new_token(build, file, principal):
    name = principal.replace(" ", "-")
    printed = subprocess.run([build / "bin/warpsmith", "token", "new", name, "--role", "use", "--file", file],
                             check=True, capture_output=True, text=True).stdout
    return printed.split()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=180)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tokens = {principal: new_token(build, folder / "principals.toml", principal)
                  for principal in PRINCIPALS}
        server = Server("warpsmith", [build / "bin/warpsmith", "serve", "--no-gpu", "--log-level", "off",
                                      "--data", folder / "data", "--principals",
                                      folder / "principals.toml"]).open("http")
        results = multiprocessing.Queue()
        end = time.monotonic() + options.seconds
        crowds = [multiprocessing.Process(target=crowd_of, args=(
            principal, options.clients // len(PRINCIPALS), tokens[principal], server.port, end, results))
            for principal in PRINCIPALS]
        for crowd in crowds:
            crowd.start()
        most = 0.0
        while any(crowd.is_alive() for crowd in crowds) and results.qsize() < len(crowds):
            most = max(most, server.rss_mib())
            time.sleep(1)
        rows = [results.get() for _ in crowds]
        for crowd in crowds:
            crowd.join()
        server.close()
    finished = sum(done for _, done, _, _ in rows)
    failed = sum(failed for _, _, failed, _ in rows)
    unfair = 0.0
    for principal, done, _, failures in sorted(rows, key=lambda row: PRINCIPALS.index(row[0])):
        share = done * len(rows) / max(finished, 1)
        unfair = max(unfair, share, 1 / share if share else float("inf"))
        print(f"{principal:16} {done:8} calls, {share:.3f} of an equal share", *failures)
    print(f"{options.clients} clients, {options.seconds} s: {finished} calls, {failed} failed; "
          f"furthest from an equal share {unfair:.3f}x; RSS {most:.0f} MiB")
    sys.exit(0 if failed == 0 and unfair <= 1.2 and most <= 60 else 1)


if __name__ == "__main__":
    main()
