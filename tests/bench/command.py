"""One call of a tool by the command line. Standard library only."""

import json
import subprocess

PATIENCE_MS = 600000


def call(warpsmith, data, tool, arguments):
    """The tool's answer. Raises RuntimeError with what was printed where there is none."""
    done = subprocess.run([warpsmith, "call", tool, "-", "--data", data], text=True,
                          input=json.dumps(dict({"wait_ms": PATIENCE_MS}, **arguments)),
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{tool}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)
