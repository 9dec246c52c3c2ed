"""The figures of scale.sh: one JSON object a part."""

import argparse
import glob
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OWNERS = 50
NODES = 4


def programs():
    """The folder of initdb and postgres; None where they are not installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return pathlib.Path(found[-1]).parent if found else None


class Database:
    """A PostgreSQL server of its own, whose commits are on the disk when they are acknowledged."""

    def __init__(self, bin_folder, folder):
        self.bin, self.folder, self.process = bin_folder, folder, None
        as_other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self.prefix = as_other if os.geteuid() == 0 else []
        if self.prefix:
            shutil.chown(folder, "nobody", "nogroup")
        subprocess.run(self.prefix + [str(self.bin / "initdb"), "-D", f"{folder}/db", "-A", "trust",
                                      "-U", "warpsmith", "-E", "UTF8", "--locale=C.UTF-8"],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder)
        self.start()

    @property
    def url(self):
        return f"postgres://warpsmith@/postgres?host={self.folder}"

    def start(self):
        log = open(f"{self.folder}/log", "ab")
        self.process = subprocess.Popen(
            self.prefix + [str(self.bin / "postgres"), "-D", f"{self.folder}/db", "-k", self.folder,
                           "-c", "listen_addresses=", "-c", "max_connections=200"],
            cwd=self.folder, stdout=log, stderr=log)
        while subprocess.run([self.bin / "pg_isready", "-q", "-h", self.folder],
                             check=False).returncode:
            time.sleep(0.05)

    def kill(self):
        """As a crash of the machine would: all of its processes at once."""
        os.kill(self.process.pid, signal.SIGSTOP)  # It starts no more of them.
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)],
                                  capture_output=True, text=True, check=False).stdout.split()
        for pid in [self.process.pid, *map(int, children)]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        time.sleep(0.2)

    def ask(self, *statements):
        words = ["psql", "-h", self.folder, "-U", "warpsmith", "-d", "postgres", "-qAt", "-v",
                 "ON_ERROR_STOP=1", "-c", "SET search_path = warpsmith"]
        for statement in statements:
            words += ["-c", statement]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def clear(self):
        self.ask("TRUNCATE node_jobs, node_job_clients, node_shares, node_evidence, nodes",
                 "DELETE FROM evidence", "VACUUM ANALYZE node_jobs")


class Bench:
    def __init__(self, folder, database):
        self.program = str(folder / "ws_scale_bench")
        self.warpsmith = str(folder / "warpsmith")
        self.database = database
        self.name = 0
        subprocess.run([self.program, "tables", database.url], check=True)

    def front(self, first, count, threads=4, pause_ms=0, out=subprocess.PIPE):
        return subprocess.Popen([self.program, "front", self.database.url, str(first), str(count),
                                 str(OWNERS), str(threads), str(pause_ms)], stdout=out, text=True)

    def node(self, work_ms, slots=1, evidence=0):
        self.name += 1
        return subprocess.Popen(
            [self.program, "node", self.database.url, f"node{self.name}", str(work_ms), str(slots),
             str(evidence)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @staticmethod
    def last(process):
        out, _ = process.communicate()
        return json.loads(out.strip().splitlines()[-1])

    def finished(self):
        return int(self.database.ask("SELECT count(*) FROM node_jobs WHERE status = 'done'"))


def queue(bench, jobs):
    """Throughput and latencies with a long queue."""
    database = bench.database
    database.clear()
    submits = 4000
    database.ask(
        "INSERT INTO node_jobs(id, tool, arguments, lane, key, client, owner, shares, background) "
        f"SELECT 'job_filled' || i, 'validate', '{{}}', 'cpu', 'filled' || i, "
        f"'owner' || i % {OWNERS}, 'owner' || i % {OWNERS}, true, false "
        f"FROM generate_series(1, {jobs - submits}) i",
        "INSERT INTO node_shares(owner, clock_ms) SELECT DISTINCT owner, 0 FROM node_jobs", "VACUUM ANALYZE node_jobs")
    fronts = [bench.front(i * submits, submits // 2) for i in range(2)]
    submitted = [bench.last(front)["submit"] for front in fronts]
    queued = int(database.ask("SELECT count(*) FROM node_jobs WHERE status = 'queued'"))
    nodes = [bench.node(0) for _ in range(NODES)]
    time.sleep(2)
    first, start = bench.finished(), time.monotonic()
    time.sleep(20)
    rate = (bench.finished() - first) / (time.monotonic() - start)
    worked = [bench.last(node) for node in nodes]
    return {"part": "queue", "queued": queued, "jobs_per_s": round(rate, 1),
            "submit_p99_ms": max(one["p99_ms"] for one in submitted),
            "submit_p50_ms": max(one["p50_ms"] for one in submitted),
            "claim_p99_ms": max(one["claim"]["p99_ms"] for one in worked),
            "claim_p50_ms": max(one["claim"]["p50_ms"] for one in worked),
            "finish_p99_ms": max(one["finish"]["p99_ms"] for one in worked)}


def death(bench):
    """From the death of a node to the claim of its job by another one that waits."""
    database, times = bench.database, []
    for _ in range(3):
        database.clear()
        node = bench.node(600_000)
        bench.front(0, 1).wait()
        while database.ask("SELECT status FROM node_jobs") != "running":
            time.sleep(0.05)
        other = subprocess.Popen(
            [bench.warpsmith, "node", "--store", database.url, "--lanes", "cpu", "--name", "other",
             "--data", f"{database.folder}/node"], stderr=subprocess.DEVNULL)
        while database.ask("SELECT count(*) FROM nodes WHERE name = 'other'") != "1":
            time.sleep(0.1)
        time.sleep(random.uniform(0, 10))
        node.kill()
        start = time.monotonic()
        while database.ask("SELECT attempt FROM node_jobs") == "1":
            time.sleep(0.1)
        times.append(round(time.monotonic() - start, 1))
        other.terminate()
        other.wait()
    return {"part": "death", "taken_over_after_s": times}


def spread(bench):
    """Jobs that sleep, on one node and on four."""
    rates = {}
    for count in (1, NODES):
        bench.database.clear()
        bench.front(0, 600).communicate()
        nodes = [bench.node(100, evidence=1) for _ in range(count)]
        while bench.finished() < 20:
            time.sleep(0.05)
        first, start = bench.finished(), time.monotonic()
        time.sleep(10)
        rates[count] = (bench.finished() - first) / (time.monotonic() - start)
        for node in nodes:
            bench.last(node)
    return {"part": "spread", "work_ms": 100, "one_node_per_s": round(rates[1], 2),
            "four_nodes_per_s": round(rates[NODES], 2), "ratio": round(rates[NODES] / rates[1], 2)}


def kills(bench, count, seed):
    """Servers, nodes and PostgreSQL killed at random, and what is left."""
    draw = random.Random(seed)
    database = bench.database
    database.clear()
    files, fronts, nodes = [], [], [bench.node(20, 4, 1) for _ in range(NODES)]
    killed = {"front": 0, "node": 0, "postgres": 0}
    first = 0

    def begin_front():
        nonlocal first
        files.append(tempfile.TemporaryFile("w+"))
        first += 100_000
        return bench.front(first, 100_000, threads=1, pause_ms=20, out=files[-1])

    fronts = [begin_front(), begin_front()]
    for _ in range(count):
        time.sleep(draw.uniform(0.2, 1.2))
        what = draw.choices(["front", "node", "postgres"], [4, 5, 1])[0]
        killed[what] += 1
        if what == "postgres":
            database.kill()
            database.start()
            continue
        group = fronts if what == "front" else nodes
        place = draw.randrange(len(group))
        group[place].kill()
        group[place].wait()
        group[place] = begin_front() if what == "front" else bench.node(20, 4, 1)
    for front in fronts:
        front.kill()
        front.wait()
    acknowledged = set()
    for file in files:
        file.seek(0)
        acknowledged.update(line for line in file.read().split("\n") if line.startswith("job_"))
    begun = time.monotonic()
    while int(database.ask(
            "SELECT count(*) FROM node_jobs WHERE status IN ('queued', 'running')")):
        if time.monotonic() - begun > 900:
            break
        time.sleep(1)
    for node in nodes:
        bench.last(node)
    known = dict(line.split("|") for line in database.ask(
        "SELECT id, status FROM node_jobs").splitlines())
    return {"part": "kills", "seed": seed, "killed": killed, "acknowledged": len(acknowledged),
            "lost": sum(known.get(job) != "done" for job in acknowledged),
            "given_up": sum(status == "lost" for status in known.values()),
            "done": sum(status == "done" for status in known.values()),
            "done_without_evidence": int(database.ask(
                "SELECT count(*) FROM node_jobs j WHERE status = 'done' AND NOT EXISTS "
                "(SELECT 1 FROM evidence e WHERE e.key = j.id)")),
            "double_evidence": int(database.ask(
                "SELECT count(*) FROM (SELECT key FROM evidence GROUP BY key HAVING count(*) > 1) "
                "twice"))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="build-test/bin", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["queue", "death", "spread", "kills"])
    options = parser.parse_args()
    bin_folder = programs()
    if bin_folder is None or not (options.folder / "libwarpsmith_postgres.so").exists():
        print("left out, as there is no PostgreSQL here: the figures of nodes")
        return
    parts = {"queue": lambda bench: queue(bench, options.jobs), "death": death, "spread": spread,
             "kills": lambda bench: kills(bench, options.kills, options.seed)}
    # The path of its socket may be 107 bytes long.
    with tempfile.TemporaryDirectory(prefix="ws_scale_", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        database = Database(bin_folder, folder)
        try:
            bench = Bench(options.folder.resolve(), database)
            for name, part in parts.items():
                if options.only in (None, name):
                    print(json.dumps(part(bench)))
                    sys.stdout.flush()
        finally:
            database.kill()


if __name__ == "__main__":
    main()
