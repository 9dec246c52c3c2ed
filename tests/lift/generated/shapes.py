"""Random kernels of the shapes that people write, each with a problem and sizes that fit.

A kernel reads within its arrays, has no race, and writes every element of `out`, so a program that
is lifted from it has one right result.
"""

import random as randoms

from expressions import Array, Expressions, Scope
from statements import Statements


class Kernel:
    """One kernel being written: arguments, text, and the plan of its launch."""

    def __init__(self, seed):
        self.random = randoms.Random(seed)
        self.even = self.random.random() < 0.3
        self.sizes = {dim: self.size() for dim in ("m", "n")}
        self.expressions = Expressions(self.random, self.sizes if self.even else (),
                                       plain=self.random.random() < 0.8)
        self.statements = Statements(self.random, self.expressions)
        self.inputs = []
        self.out = None
        self.shared = []
        self.grid, self.block = [], []

    def size(self):
        some = self.random.choice((self.random.randint(17, 40), self.random.randint(41, 150), 64, 96))
        return some + some % 2 if self.even else some

    def add_inputs(self):
        for name, shape in (("x", ("n",)), ("y", ("m",)), ("a", ("m", "n")), ("b", ("n", "m")),
                            ("z", ("n",))):
            if self.random.random() < 0.5:
                self.inputs.append(Array(name, shape))
        if not self.inputs:
            self.inputs.append(Array("a", ("m", "n")))

    def line(self, text):
        self.statements.line(text)

    def scope(self, **indices):
        return Scope({dim: list(some) for dim, some in indices.items()}, [], list(self.inputs))

    def some_index(self, scope, dim):
        """Makes an index for a dim that the threads are not spread over, in some kernels."""
        if self.expressions.plain:
            return
        name = self.statements.name("o")
        first = next(iter(scope.indices.values()))[0]
        self.line(f"int {name} = {first} % {dim};")
        scope.indices[dim] = [name]

    def json(self, name):
        arrays = [*self.inputs, self.out]
        floats = ", ".join(f"{'' if one is self.out else 'const '}float* {one.name}" for one in arrays)
        body = "\n".join(self.shared + self.statements.lines)
        source = ("\n".join(self.expressions.helpers.values()) +
                  f"\n__global__ void made({floats}, int m, int n) {{\n{body}\n}}\n")
        launch = {"entry": "made", "grid": self.grid, "block": self.block,
                  "args": [*(one.name for one in arrays), "m", "n"]}
        plan = {"language": "cuda", "source": source, "launches": [launch]}
        problem = {
            "name": "made",
            "dims": {dim: [size] for dim, size in self.sizes.items()},
            # Sums may cancel, in another order to another remainder; another element differs by more.
            "tolerance": {"rtol": 1e-3, "atol": 1e-3},
            "args": [{"name": one.name, "type": "f32", "shape": list(one.shape),
                      "role": "out" if one is self.out else "in"} for one in arrays],
            "reference": {"kind": "kernel", "entry": "made", **plan},
        }
        return problem, {"name": name, **plan}


def elementwise(kernel):
    """One thread for each element, or a loop with the grid's stride."""
    kernel.out = Array("out", ("n",))
    width = kernel.random.choice((32, 64, 128, 256))
    kernel.block = [str(width)]
    kernel.grid = [f"cdiv(n, {width})"]
    scope = kernel.scope(n=["i"])
    pick = kernel.random.random()
    kernel.line("int i = blockIdx.x * blockDim.x + threadIdx.x;")

    def body(inner):
        if kernel.random.random() < 0.4 or any("m" in one.shape for one in kernel.inputs):
            kernel.some_index(inner, "m")
        inner.integers.append("(int)threadIdx.x")
        kernel.statements.some(inner, kernel.random.randint(0, 4))
        place = kernel.random.choice(("i", "i", "n - 1 - i"))
        kernel.statements.store(kernel.out, [place], kernel.expressions.value(inner))

    if pick < 0.4:
        kernel.statements.block("if (i < n)", scope, body)
    elif pick < 0.75:
        kernel.line("if (i >= n) return;")
        body(scope)
    else:
        kernel.grid = ["2"]
        kernel.statements.lines.pop()
        kernel.statements.block("for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
                                "i += gridDim.x * blockDim.x)", scope, body)


def over_rows_and_columns(kernel):
    """A block of threads in two dimensions, for a matrix."""
    kernel.out = Array("out", kernel.random.choice((("m", "n"), ("n", "m"))))
    width, height = kernel.random.choice(((16, 16), (32, 8), (32, 4), (8, 8)))
    kernel.block = [str(width), str(height)]
    kernel.grid = [f"cdiv(n, {width})", f"cdiv(m, {height})"]
    kernel.line("int column = blockIdx.x * blockDim.x + threadIdx.x;")
    kernel.line("const int row = blockIdx.y * blockDim.y + threadIdx.y;")
    scope = kernel.scope(n=["column"], m=["row"])

    def body(inner):
        kernel.statements.some(inner, kernel.random.randint(0, 4))
        places = {"n": "column", "m": kernel.random.choice(("row", "(m - 1 - row)"))}
        kernel.statements.store(kernel.out, [places[dim] for dim in kernel.out.shape],
                                kernel.expressions.value(inner))

    if kernel.random.random() < 0.5:
        kernel.statements.block("if (row < m && column < n)", scope, body)
    else:
        kernel.line("if (column >= n || row >= m) return;")
        body(scope)


def thread_per_row(kernel):
    """Each thread goes through a row, mostly more than once."""
    kernel.out = Array("out", kernel.random.choice((("m",), ("m", "n"))))
    width = kernel.random.choice((32, 64, 128))
    kernel.block, kernel.grid = [str(width)], [f"cdiv(m, {width})"]
    kernel.line(f"int row = blockIdx.x * {width} + threadIdx.x;")
    kernel.line("if (row >= m) return;")
    scope = kernel.scope(m=["row"], n=["0", "(n - 1)"])
    for _ in range(kernel.random.randint(1, 3)):
        kernel.statements.loop(scope)
    kernel.statements.some(scope, kernel.random.randint(0, 2), loops=False)
    if len(kernel.out.shape) == 1:
        kernel.statements.store(kernel.out, ["row"], kernel.expressions.value(scope))
        return

    def body(inner):
        inner.indices["n"].append("c")
        kernel.statements.some(inner, kernel.random.randint(0, 2), loops=False)
        kernel.statements.store(kernel.out, ["row", "c"], kernel.expressions.value(inner))

    kernel.statements.block(kernel.random.choice((
        "for (int c = 0; c < n; ++c)", "for (int c = n - 1; c >= 0; c--)")), scope, body)
