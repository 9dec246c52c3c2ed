#!/usr/bin/env python3
"""How many nodes one database can keep at work, by simulation.

    tests/bench/scale_model.py [--per-job-ms 0.48] [--beat-ms 0.3] [--seed 1]

Each node claims a job, works, and finishes it. The database does one transaction that writes at a time, as the archive's
one writer is, in the order in which they come. --per-job-ms is what scale.sh measures as the time of claim and finish
together (1000 / jobs_per_s of `--only queue`), of which a third is the claim's; --beat-ms the sign of life that each node
gives every ten seconds. Times of work are exponential. Prints a row for each number of nodes. Standard library only.
"""

import argparse
import heapq
import random

BEAT_S = 10
SECONDS = 60
CLAIM_SHARE = 1 / 3


def simulate(nodes, work_s, per_job_s, beat_s, rng):
    """Jobs a second, the share of time that nodes work, and the p99 of the wait for a claim, in ms."""
    # The next thing that each node wants from the database: (when, what, node).
    wanted = [(rng.uniform(0, work_s), "claim", node) for node in range(nodes)]
    wanted += [(rng.uniform(0, BEAT_S), "beat", node) for node in range(nodes)]
    heapq.heapify(wanted)
    free_at, done, worked, waits = 0.0, 0, 0.0, []
    while wanted[0][0] < SECONDS:
        when, what, node = heapq.heappop(wanted)
        cost = {"claim": per_job_s * CLAIM_SHARE, "finish": per_job_s * (1 - CLAIM_SHARE), "beat": beat_s}[what]
        free_at = max(free_at, when) + cost
        if what == "claim":
            waits.append(free_at - when)
            work = rng.expovariate(1 / work_s)
            worked += work
            heapq.heappush(wanted, (free_at + work, "finish", node))
        elif what == "finish":
            done += 1
            heapq.heappush(wanted, (free_at, "claim", node))
        else:
            heapq.heappush(wanted, (when + BEAT_S, "beat", node))
    waits.sort()
    return done / SECONDS, min(worked / SECONDS / nodes, 1), waits[len(waits) * 99 // 100] * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-job-ms", type=float, default=0.48)
    parser.add_argument("--beat-ms", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| nodes | work of a job | jobs/s | nodes at work | p99 of a claim |\n| --- | --- | --- | --- | --- |")
    for work_s in (0.3, 1, 3):
        for nodes in (100, 300, 500, 1000, 2000):
            rng = random.Random(options.seed)
            rate, share, p99_ms = simulate(nodes, work_s, options.per_job_ms / 1e3, options.beat_ms / 1e3, rng)
            print(f"| {nodes} | {work_s:g} s | {rate:,.0f} | {share:.0%} | {p99_ms:,.1f} ms |", flush=True)


if __name__ == "__main__":
    main()
