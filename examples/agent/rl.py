"""Rewards for a training loop: draws candidates from a folder and logs what each is worth.

A candidate is a kernel in its JSON form. Files that come while the loop runs are drawn in the next
batch; the loop ends when there is none that it has not seen. One line of the log a candidate: file,
kernel_id, verdict, reward, speedup; fast_p can be counted from these.
"""

import json
import random

BATCH = 64  # Kernels a call: the server compiles some while it measures others.


def drawn(folder, seen, generator):
    """At most BATCH files that were not drawn before, in random order."""
    files = sorted(path for path in folder.glob("*.json") if path not in seen)
    generator.shuffle(files)
    return files[:BATCH]


def read_kernel(path):
    """Its form; an empty one of a file that is none, which evaluate refuses as such."""
    try:
        form = json.loads(path.read_text())
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        return {}
    return form if isinstance(form, dict) else {}


def serve(call, options):
    """@param call  (tool, arguments) -> its result, or the text of an error."""
    problem = json.loads((options.folder / "problem.json").read_text())
    generator = random.Random(options.seed)
    seen, right = set(), 0
    with options.log.open("a", encoding="utf-8") as log:
        while files := drawn(options.serve_rl, seen, generator):
            seen.update(files)
            answer = call("evaluate", {"problem": problem, "detail": "full",
                                       "kernels": [read_kernel(path) for path in files],
                                       **({"device": options.device} if options.device else {})})
            if isinstance(answer, str):
                print(f"the batch was refused: {answer}")
                return 1
            for row in answer["results"]:
                line = {"file": files[row["index"]].name,
                        **{key: row.get(key) for key in ("kernel_id", "verdict", "reward", "speedup")}}
                log.write(json.dumps(line) + "\n")
            log.flush()
            right += answer["valid"]
            print(f"{len(seen)} candidates, {right} right: {answer['summary']}")
    return 0 if right else 1
