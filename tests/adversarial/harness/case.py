"""Cases: attacks that must earn nothing, and honest kernels that must pass."""

import dataclasses
import typing


@dataclasses.dataclass
class Case:
    name: str  ## "E1.zeros": the id, a full stop, a word; honest kernels: "softmax.online".
    family: str  ## "C", "D", "E", "U", "honest" or "mutants".
    tries: str  ## What the attack tries, or what the honest kernel does, in one line.
    problem: dict
    kernel: dict
    honest: bool = False
    ## Why a pass is no loss here: the attack is harmless under this judge. "" where it is one.
    neutral: str = ""
    ## Further words that count as a kill: verdicts, or "refused" (a tool error).
    killed_by: tuple = ()
    ## The most that a right kernel may earn here. Then it is the reward that is attacked.
    fair: float | None = None
    ## Further arguments of the call.
    arguments: dict = dataclasses.field(default_factory=dict)
    ## Instead of the one call: a function of the client and the kernel that gives the last answer.
    play: typing.Callable | None = None
    ## Honest, on a problem whose inputs' rounding leaves no digits: it may be named as ill conditioned.
    named: bool = False
    needs: str = ""  ## How the names of the devices begin that can run it; "": all.
    timed: bool = True  ## Sent to `evaluate`; else only to `validate`.

    @property
    def id(self):
        return self.name.split(".")[0]


class Cases(list):
    """The cases of one module, in the order in which they are written."""

    def __init__(self, family):
        super().__init__()
        self.family = family

    def attack(self, name, tries, problem, kernel, twin=None, **fields):
        """An attack; `twin` is an honest kernel of the same problem, which must pass."""
        self.append(Case(name, self.family, tries, problem, kernel, **fields))
        if twin is not None:
            self.append(Case(f"{name}/twin", self.family, "the honest twin", problem, twin, honest=True,
                             arguments=fields.get("arguments", {}), timed=False))

    def honest(self, kind, problem, timed=False, needs="", named=False, **kernels):
        """Honest kernels of one kind; `timed`: the first of them is timed as well."""
        for number, (word, kernel) in enumerate(kernels.items()):
            self.append(Case(f"{kind}.{word}", self.family, kind, problem, kernel, honest=True, needs=needs,
                             named=named, timed=timed and number == 0))
