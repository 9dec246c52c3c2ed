#!/usr/bin/env python3
"""Whether kernels of public repositories compute on the CPU engine what they compute on a GPU.

    tests/survey/agreement.py cut FOLDER CASES
    BUILD/bin/ws_survey_agreement CASES THREADS > ROWS
    tests/survey/agreement.py table ROWS

FOLDER is that of tests/survey/run. `cut` writes the device code of each file with its kernels, `table` counts what
became of them. The program in between launches each kernel with sizes and contents that suit many kernels, and keeps to those in which it
stays inside its buffers and computes the same in two orders. Standard library only.
"""

import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from device_code import Cutter  # noqa: E402


def cut(folder, cases):
    with open(cases, "w") as out:
        for root in sorted(path for path in folder.iterdir() if path.is_dir()):
            for path in sorted(root.rglob("*.cu")):
                made = None if any(part.endswith("hip") for part in path.parts) else Cutter(path, root)
                if made and made.kernels:
                    row = {"repository": root.name, "file": str(path.relative_to(root)), "source": made.source,
                           "headers": made.headers, "kernels": sorted(made.kernels)}
                    out.write(json.dumps(row) + "\n")


def print_table(rows):
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        kind = "refused" if row["why"].startswith("it does not compile") else row["agreement"]
        for name in (row["repository"], "all"):
            counts[name][kind] += 1
    print("| repository | kernels that compile | compared | agree | differ |\n| --- | --- | --- | --- | --- |")
    for name in [*sorted(name for name in counts if name != "all"), "all"]:
        kinds = counts[name]
        total = sum(kinds.values()) - kinds["refused"]
        compared = kinds["agrees"] + kinds["differs"] + kinds["runs"]
        print(f"| {name} | {total} | {compared} | {kinds['agrees']} | {kinds['differs']} |")
    print()
    for row in rows:
        if row["agreement"] in ("differs", "failed"):
            print(f"{row['agreement']}: {row['repository']}/{row['file']} {row['kernel']}: {row['why']}")
    reasons = collections.Counter(row["why"].split(":")[0][:90] for row in rows if row["agreement"] == "none")
    for why, count in reasons.most_common(25):
        print(f"{count:4} not compared: {why}")


def main():
    match sys.argv[1:]:
        case ["cut", folder, cases]:
            cut(pathlib.Path(folder), cases)
        case ["table", rows]:
            print_table([json.loads(line) for line in pathlib.Path(rows).read_text().splitlines()])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
