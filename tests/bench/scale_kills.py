#!/usr/bin/env python3
"""Real servers, real nodes and PostgreSQL, killed at random while clients wait for answers.

    tests/bench/scale_kills.py BUILD_FOLDER [--kills 200] [--seed 1] [--pause 3] [--clients 6]

Two `warpsmith serve --run-on nodes`, four `warpsmith node --lanes cpu` and a database of its own, each killed by
SIGKILL and started again; the database with all of its processes. Each client compiles and validates one small kernel
after the other, and sends a call again where its connection ended or the database was away. Prints one JSON object, and
its status is 1 where a call was lost, evidence is missing or there twice, a job has not ended, or the archive does not
verify. Needs PostgreSQL and no GPU. Standard library only.
"""

import argparse
import http.client
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from mcp_servers import free_port, headers_of, message  # noqa: E402
from scale import Database, programs  # noqa: E402

NODES, FRONTS, PATIENCE_S = 4, 2, 600
HEAD = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
LAUNCH = [{"grid": ["cdiv(n, 256)"], "block": ["256"], "args": ["x", "y", "n"]}]


def source(entry, line):
    return f"__global__ void {entry}(const int* x, int* y, int n) {{\n{HEAD}  {line}\n}}\n"


def launches(entry):
    return [dict(launch, entry=entry) for launch in LAUNCH]


PROBLEM = {
    "name": "twice", "dims": {"n": {"values": [1000], "min": 1, "max": 4096}},
    "args": [{"name": "x", "type": "i32", "shape": ["n"], "role": "in",
              "fill": {"kind": "range", "low": -1000, "high": 1000}},
             {"name": "y", "type": "i32", "shape": ["n"], "role": "out"}],
    "reference": {"kind": "kernel", "language": "cuda", "entry": "twice",
                  "source": source("twice", "if (i < n) y[i] = 2 * x[i];"), "launches": launches("twice")}}


def kernel(number):
    return {"name": "k", "language": "cuda", "source": source("k", f"if (i < n) y[i] = 2 * x[i];  // {number}"),
            "launches": launches("k")}


class Clients:
    """Ask for one kernel after the other, until they are told to stop, and finish what they began."""

    def __init__(self, ports):
        self.ports, self.numbers, self.stop = ports, itertools.count(), False
        self.answers, self.refused, self.sent_again, self.unanswered = [], [], 0, 0
        self.lock = threading.Lock()

    def ask(self, draw, tool, arguments):
        """The answer; None where the job was given up, or nobody answered for long."""
        body = message("tools/call", {"name": tool, "arguments": dict(arguments, device="cpu:0", wait_ms=600000)})
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                link = http.client.HTTPConnection("127.0.0.1", draw.choice(self.ports), timeout=PATIENCE_S)
                link.request("POST", "/mcp", json.dumps(body), headers_of(body))
                text = link.getresponse().read().decode()
                link.close()
                lines = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
                result = json.loads(lines[-1] if lines else text)["result"]
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                result = {"isError": True, "content": [{"text": "the connection ended"}]}
            if not result.get("isError") and "evidence_id" in result["structuredContent"]:
                with self.lock:
                    self.answers.append((tool, result["structuredContent"]["evidence_id"]))
                return result["structuredContent"]
            said = result["content"][0]["text"] if result.get("isError") else json.dumps(result)
            if "nodes ended with the job" in said:
                with self.lock:
                    self.refused.append(said)
                return None
            with self.lock:
                self.sent_again += 1
                if not any(part in said for part in ("connection ended", "the archive", "database")):
                    self.refused.append(said)
            time.sleep(draw.uniform(0.1, 0.5))
        with self.lock:
            self.unanswered += 1
        return None

    def run(self, seed):
        draw = random.Random(seed)
        while not self.stop:
            compiled = self.ask(draw, "compile_kernel", {"problem": PROBLEM, "kernel": kernel(next(self.numbers))})
            if compiled:
                self.ask(draw, "validate", {"kernel_id": compiled["kernel_id"]})


class Processes:
    def __init__(self, warpsmith, folder, database):
        self.warpsmith, self.folder, self.database, self.names = warpsmith, folder, database, itertools.count(1)
        self.ports = [free_port() for _ in range(FRONTS)]
        self.fronts = [self.front(i) for i in range(FRONTS)]
        self.nodes = [self.node(i) for i in range(NODES)]
        self.killed = {"front": 0, "node": 0, "postgres": 0}

    def start(self, words, name):
        log = open(f"{self.folder}/{name}.log", "ab")
        return subprocess.Popen([self.warpsmith, *words, "--store", self.database.url, "--data",
                                 f"{self.folder}/{name}"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def front(self, place):
        return self.start(["serve", "--http", f"127.0.0.1:{self.ports[place]}", "--run-on", "nodes", "--no-gpu"],
                          f"front{place}")

    def node(self, place):
        return self.start(["node", "--lanes", "cpu", "--name", f"node-{next(self.names)}"], f"node{place}")

    def kill(self, draw):
        what = draw.choices(["front", "node", "postgres"], [4, 5, 1])[0]
        self.killed[what] += 1
        if what == "postgres":
            self.database.kill()
            self.database.start()
            return
        group, begin = (self.fronts, self.front) if what == "front" else (self.nodes, self.node)
        place = draw.randrange(len(group))
        group[place].kill()
        group[place].wait()
        group[place] = begin(place)

    def revive(self):
        """Starts those again that ended by themselves, as what starts a service does."""
        for group, begin in ((self.fronts, self.front), (self.nodes, self.node)):
            for place, process in enumerate(group):
                if process.poll() is not None:
                    group[place] = begin(place)

    def end(self):
        for process in self.nodes + self.fronts:
            process.terminate()
        for process in self.nodes + self.fronts:
            process.wait()


def figures(database, clients, warpsmith, folder):
    known = set(database.ask("SELECT id FROM evidence").splitlines())
    verify = subprocess.run([warpsmith, "archive", "verify", "--store", database.url, "--data", f"{folder}/verify"],
                            capture_output=True, text=True, check=False)
    return {
        "answered": len(clients.answers), "sent_again": clients.sent_again, "unanswered": clients.unanswered,
        "given_up": sum("nodes ended with the job" in text for text in clients.refused),
        "other_refusals": sorted({text for text in clients.refused if "nodes ended with the job" not in text}),
        "answered_without_evidence": sum(evidence not in known for _, evidence in clients.answers),
        "evidence": len(known),
        "double_evidence": int(database.ask(
            "SELECT count(*) FROM (SELECT 1 FROM evidence GROUP BY kernel_id, device, kind, key "
            "HAVING count(*) > 1) twice")),
        "jobs": database.ask("SELECT string_agg(status || ' ' || n, ', ') FROM (SELECT status, count(*) n "
                             "FROM node_jobs GROUP BY status ORDER BY status) s"),
        "not_ended": int(database.ask("SELECT count(*) FROM node_jobs WHERE status IN ('queued', 'running')")),
        "verify": verify.returncode, "verify_says": (verify.stdout + verify.stderr).strip()[-300:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=3, help="seconds between two kills, in the mean")
    parser.add_argument("--clients", type=int, default=6)
    options = parser.parse_args()
    if programs() is None:
        print("left out, as there is no PostgreSQL here: kills of servers and nodes")
        return
    warpsmith, draw = str(options.build.resolve() / "bin" / "warpsmith"), random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="ws_kills_", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        os.mkdir(f"{folder}/database")
        database = Database(programs(), f"{folder}/database")
        processes = Processes(warpsmith, folder, database)
        clients = Clients(processes.ports)
        threads = [threading.Thread(target=clients.run, args=(f"{options.seed} {i}",)) for i in range(options.clients)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for _ in range(options.kills):
            time.sleep(draw.uniform(0.2, 2 * options.pause - 0.2))
            processes.revive()
            processes.kill(draw)
        clients.stop = True
        while any(thread.is_alive() for thread in threads):
            processes.revive()
            time.sleep(1)
        seconds = time.monotonic() - start
        processes.end()
        found = figures(database, clients, warpsmith, folder)
        database.kill()
    print(json.dumps({"seed": options.seed, "killed": processes.killed, "seconds": round(seconds), **found}, indent=1))
    if found["unanswered"] or found["answered_without_evidence"] or found["double_evidence"] or found["not_ended"] or \
            found["verify"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
