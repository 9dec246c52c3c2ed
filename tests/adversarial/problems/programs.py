"""U2, U3: references in Python that say nothing, or that say something else each time."""

import time

from harness.case import Cases
from harness.forms import map_kernel, problem, sizes

CASES = Cases("U")
REFUSED = ("invalid_reference", "refused")
ZEROS = map_kernel("y[i] = 0;")
TWICE = map_kernel("y[i] = 2 * v + 1;")


def told(body, arguments="x: f32[n]; y: f32[n] out"):
    source = "import numpy as np\n" + body
    return problem({"n": sizes(500, 1000)}, arguments, {"kind": "python", "source": source})


def reference(result):
    return f"def reference(inputs, dims):\n    x = inputs['x']\n    return {result}\n"


def unsound(name, tries, body, cheat, twin=None, **fields):
    CASES.attack(name, tries, told(body, **fields), cheat, twin=twin, killed_by=REFUSED, timed=False)


CASES.honest("python_reference", told(reference("2 * x + 1")), line=TWICE)
unsound("U2.python_constant", "a program that gives a constant", reference("np.full(dims['n'], 7.0)"), map_kernel("y[i] = 7;"))
unsound("U2.python_index", "a program that gives the index", reference("np.arange(dims['n'])"), map_kernel("y[i] = i;"))
unsound("U3.python_random", "a program that throws dice of little weight",
        reference("1e6 + np.random.rand(dims['n'])"), map_kernel("y[i] = 1e6f;"))
unsound("U3.python_counter", "a program that counts its calls",
        "calls = 0\ndef reference(inputs, dims):\n    global calls\n    calls += 1\n"
        "    return np.full(dims['n'], float(calls < 50)) + 0 * inputs['x']\n", map_kernel("y[i] = 1;"))
unsound("U3.python_clock", "a program that asks for the time",
        "import time\n" + reference("np.full(dims['n'], float(int(time.time()) // 1000000)) + 0 * x"),
        map_kernel(f"y[i] = {int(time.time()) // 1000000};"))
unsound("U3.python_writes", "a program that overwrites its input",
        "def reference(inputs, dims):\n    inputs['x'][:] = 0\n    return 2 * inputs['x']\n", ZEROS)
unsound("U3.python_one", "a program that gives one number for many", reference("x[:1]"), map_kernel("y[i] = x[0];"))
unsound("U3.python_copy", "a program that gives its input", reference("x"), map_kernel("y[i] = v;"))
unsound("U3.python_nothing", "a program that gives nothing", "def reference(inputs, dims):\n    return {}\n", ZEROS)
unsound("U3.python_text", "a program that gives text", reference("['0'] * dims['n']"), ZEROS)
