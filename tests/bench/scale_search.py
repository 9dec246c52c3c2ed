#!/usr/bin/env python3
"""Search and inserts in a PostgreSQL database with many kernels.

    tests/bench/scale_search.py BUILD_FOLDER [--kernels 1000000] [--archive FOLDER] [--nice -15]

Fills a folder by ws_search_bench, of which half of the kernels are judged, moves it into a database of its own by
`warpsmith archive move`, and prints what ws_search_bench measures there. FOLDER has been filled before by
`ws_search_bench KERNELS 50 FOLDER`. 1,000,000 kernels need 10 GB of disk in $TMPDIR, and hours on a busy machine.
With --nice the database and the program that asks it go before other work of the machine. Needs PostgreSQL.
Standard library only.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from scale import Database, programs  # noqa: E402


def timed(what, words):
    start = time.monotonic()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"{what}: {time.monotonic() - start:.1f} s, load {os.getloadavg()[0]:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--archive", type=pathlib.Path)
    parser.add_argument("--nice", type=int, default=0)
    options = parser.parse_args()
    bin_folder = programs()
    if bin_folder is None:
        print("left out, as there is no PostgreSQL here: search in a database")
        return
    binaries = options.build.resolve() / "bin"
    bench, kernels = str(binaries / "ws_search_bench"), str(options.kernels)
    if options.nice:
        os.nice(options.nice)
    with tempfile.TemporaryDirectory(prefix="ws_scale_", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        archive = options.archive
        if archive is None:
            archive = pathlib.Path(folder) / "archive"
            archive.mkdir()
            timed("fill the folder", [bench, kernels, "50", str(archive)])
        os.mkdir(f"{folder}/database")
        database = Database(bin_folder, f"{folder}/database")
        try:
            timed("move it into the database", [str(binaries / "warpsmith"), "archive", "move", "--data", str(archive),
                                                "--to", database.url])
            database.ask("VACUUM ANALYZE")
            print(f"load {os.getloadavg()[0]:.1f}", flush=True)
            subprocess.run([bench, kernels, "--store", database.url], check=True)
        finally:
            database.kill()


if __name__ == "__main__":
    main()
