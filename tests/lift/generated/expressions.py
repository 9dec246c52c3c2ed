"""Random CUDA expressions of one thread, each within the bounds of what it reads."""

import dataclasses


@dataclasses.dataclass
class Array:
    """A pointer argument or an array in shared memory. `shape` names dims, or extents as text."""
    name: str
    shape: tuple
    is_two_dimensional: bool = False  # Declared with two extents, so indexed with two brackets.


@dataclasses.dataclass
class Scope:
    """What the code at one place may use."""
    indices: dict  # A dim, or an extent as text, to expressions that lie in [0, dim).
    floats: list
    arrays: list
    integers: list = dataclasses.field(default_factory=list)  # Of no dim: for conditions.

    def inner(self):
        return Scope({dim: list(some) for dim, some in self.indices.items()}, list(self.floats),
                     list(self.arrays), list(self.integers))


class Expressions:
    """`plain` ones have indices that are sums, as most kernels have; others take them apart."""

    def __init__(self, random, even_dims=(), plain=True):
        self.random = random
        self.plain = plain
        self.even_dims = set(even_dims)
        self.helpers = {}  # Device functions that the kernel calls: name to text.

    def index(self, scope, dim, depth=2):
        """An expression in [0, dim)."""
        base = self.random.choice(scope.indices[dim])
        if depth == 0 or self.random.random() < 0.45:
            return base
        if self.plain:
            return base if self.random.random() < 0.7 else f"({dim} - 1 - {base})"
        inner = self.index(scope, dim, depth - 1)
        shift = self.random.choice((1, 2, 3, 5, 8))
        forms = [
            f"({dim} - 1 - {inner})",
            f"(({inner} + {shift}) % {dim})",
            f"({inner} / {shift})",
            f"min({inner} + {shift}, {dim} - 1)",
            f"max({inner} - {shift}, 0)",
            f"({inner} < {shift} ? {inner} : {inner} - {shift})",
            f"({inner} - {inner} % {shift})",
            f"({inner} >= {dim} - {shift} ? {inner} : {inner} + {shift})",
            f"({inner} >> 1)",
        ]
        if dim in self.even_dims:
            forms += [f"({base} ^ 1)", f"({base} % 2 == 0 ? {base} + 1 : {base} - 1)"]
        if depth == 2 and self.random.random() < 0.2:
            return f"{self.helper_on_index()}({inner}, {dim})"
        return self.random.choice(forms)

    def helper_on_index(self):
        """A function from an index and an extent to an index; some names mean something in CuIR."""
        name, body = self.random.choice((
            ("cdiv", "return (i + 1) / 2 < n ? (i + 1) / 2 : 0;"),
            ("load", "return n - 1 - i;"),
            ("mirrored", "int j = n - 1 - i; return j;"),
            ("min_of", "if (i > n / 2) return n - 1 - i; return i;"),
        ))
        self.helpers[name] = f"__device__ int {name}(int i, int n) {{ {body} }}"
        return name

    def read(self, scope):
        array = self.random.choice(readable(scope))
        places = [self.index(scope, dim) for dim in array.shape]
        return element(array, places)

    def neighbour(self, scope):
        """An element some places further on, where there is one."""
        array = self.random.choice(readable(scope))
        places = [self.random.choice(scope.indices[dim]) for dim in array.shape]
        which = self.random.randrange(len(places))
        shift = self.random.choice((1, 2, 5))
        if self.random.random() < 0.5:
            inside, places[which] = (f"{places[which]} + {shift} < {array.shape[which]}",
                                     f"({places[which]} + {shift})")
        else:
            inside, places[which] = f"{places[which]} >= {shift}", f"({places[which]} - {shift})"
        return f"({inside} ? {element(array, places)} : {self.random.choice(('0.f', '1.f'))})"

    def value(self, scope, depth=2):
        """A number that stays small, so that sums of a few hundred do not overflow."""
        pick = self.random.random()
        if depth == 0 or pick < 0.3:
            return self.leaf(scope)
        left, right = self.value(scope, depth - 1), self.value(scope, depth - 1)
        if pick < 0.75:
            return self.random.choice((
                f"({left} + {right})", f"({left} - {right})", f"({left} * {right})",
                f"fmaxf({left}, {right})", f"fminf({left}, {right})", f"fabsf({left})",
                f"(- {left})", f"({left} * 0.5f)", f"fmaf({left}, 0.25f, {right})"))
        if pick < 0.85:
            return f"({self.condition(scope)} ? {left} : {right})"
        if pick < 0.93:
            return f"__expf(-fabsf({left}))" if self.random.random() < 0.5 else f"tanhf({left})"
        name = self.random.choice(("scale", "full", "mix", "sum"))
        self.helpers["f_" + name] = (f"__device__ float f_{name}(float in, float is) "
                                     "{ float t = in * 0.5f; if (is > 0.f) t += is; return t; }")
        return f"f_{name}({left}, {right})"

    def leaf(self, scope):
        pick = self.random.random()
        if scope.floats and pick < 0.3:
            return self.random.choice(scope.floats)
        if pick < 0.75 and readable(scope):
            return self.read(scope)
        if pick < 0.85 and readable(scope):
            return self.neighbour(scope)
        if pick < 0.93:
            dim = self.random.choice(list(scope.indices))
            index = self.random.choice(scope.indices[dim])
            return f"(float){index}" if self.plain else f"(float)({index} % 7)"
        return self.random.choice(("1.0f", "0.5f", "2.0f", "-1.0f"))

    def condition(self, scope, on_data=True):
        dim = self.random.choice(list(scope.indices))
        index = self.random.choice(scope.indices[dim])
        number = self.random.choice((1, 2, 3, 5, 16))
        forms = [f"{index} >= {number}", f"{index} < {number}", f"{index} + {number} < {dim}",
                 f"{dim} - 1 - {index} >= {number}"]
        if not self.plain:
            forms += [f"{index} < {dim} / 2", f"{index} % {number} == 0", f"({index} & 3) != 1",
                      f"{index} == {dim} - 1", f"{index} != {number}"]
        if scope.integers:
            forms += [f"{self.random.choice(scope.integers)} < {number}"]
        if on_data and readable(scope):
            forms += [f"{self.read(scope)} > 0.f", f"{self.read(scope)} <= {self.read(scope)}"]
        text = self.random.choice(forms)
        if self.random.random() < 0.15:
            text = f"{text} {self.random.choice(('&&', '||'))} {self.condition(scope, on_data)}"
            return f"({text})"
        return text


def readable(scope):
    """The arrays for which the scope has an index in every dimension."""
    return [array for array in scope.arrays if all(scope.indices.get(dim) for dim in array.shape)]


def element(array, places):
    """The element of `array` at one index for each extent."""
    if len(places) == 1:
        return f"{array.name}[{places[0]}]"
    row, column = places
    if array.is_two_dimensional:
        return f"{array.name}[{row}][{column}]"
    return f"{array.name}[{row} * {array.shape[1]} + {column}]"
