"""The kernels of examples/kernels, each honest as it is and wrong after a small edit."""

import json
import pathlib

from harness.case import Cases
from harness.forms import edited

KERNELS = pathlib.Path(__file__).resolve().parents[3] / "examples" / "kernels"


def small_problem(folder, sizes):
    """The example's problem with the listed sizes in place of its own."""
    form = json.loads((KERNELS / folder / "problem.json").read_text())
    for dim, values in sizes.items():
        form["dims"][dim] = dict(form["dims"][dim], values=values)
    return form


def example_cases(mutants, sizes, needs=""):
    """The examples as honest kernels, and their mutants as attacks. Broken ones are attacks as they are.

    @param mutants  {"folder/kernel": [(what is wrong, the text as it is, the mutant's text)]}
    @param needs    How the names of the devices begin that run them.
    """
    cases = Cases("mutants")
    for name, edits in mutants.items():
        folder = name.split("/")[0]
        problem = small_problem(folder, sizes.get(folder, {}))
        form = json.loads((KERNELS / f"{name}.json").read_text())
        cases.honest(name, problem, timed=False, needs=needs, example=form)
        for wrong, old, new in edits:
            cases.attack(f"{name}: {wrong}", wrong, problem, edited(form, (old, new)), needs=needs)
    for path in sorted(KERNELS.glob("*/broken_*.json")) if not needs else []:
        folder = path.parent.name
        cases.attack(f"{folder}/{path.stem}", "an example that is wrong on purpose",
                     small_problem(folder, sizes.get(folder, {})), json.loads(path.read_text()),
                     killed_by=("compile_error",))
    return cases
