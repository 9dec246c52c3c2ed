"""Random statements of one thread."""

from expressions import element


class Statements:
    """Writes lines. Every name that it declares is new."""

    def __init__(self, random, expressions):
        self.random = random
        self.expressions = expressions
        self.lines = []
        self.depth = 1
        self.last_name = 0

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def name(self, stem):
        self.last_name += 1
        if self.random.random() < 0.06:  # Words of CuIR and Python are names like any other in CUDA.
            stem = self.random.choice(("in", "is", "lambda", "copy", "mean", "fence", "pass"))
        return f"{stem}{self.last_name}" if self.random.random() < 0.9 else f"{stem}_{self.last_name}"

    def block(self, head, scope, write):
        """`head { ... }`, where `write` gets a scope of its own."""
        self.line(head + " {")
        self.depth += 1
        write(scope.inner())
        self.depth -= 1
        self.line("}")

    def some(self, scope, count, loops=True):
        for _ in range(count):
            self.random.choice([self.float_local, self.int_local, self.change, self.branch] +
                               ([self.loop] if loops else []))(scope)

    def float_local(self, scope):
        name = self.name("v")
        const = "const " if self.random.random() < 0.3 else ""
        self.line(f"{const}float {name} = {self.expressions.value(scope)};")
        scope.floats.append(name)
        return name

    def variable(self, scope):
        """A float that may be changed."""
        name = self.name("acc")
        self.line(f"float {name} = {self.random.choice(('0.f', '1.f', self.expressions.leaf(scope)))};")
        scope.floats.append(name)
        return name

    def int_local(self, scope):
        dim = self.random.choice(list(scope.indices))
        name = self.name("j")
        value = self.expressions.index(scope, dim)
        if self.random.random() < 0.3:
            self.line(f"int {name} = {self.random.choice(scope.indices[dim])};")
            self.line(f"if ({self.expressions.condition(scope)}) {name} = {value};")
        else:
            self.line(f"{self.random.choice(('int', 'const int'))} {name} = {value};")
        scope.indices[dim].append(name)

    def change(self, scope):
        name = self.variable(scope)
        value = self.expressions.value(scope)
        if self.random.random() < 0.5:
            self.line(f"{name} {self.random.choice(('+=', '-=', '*='))} {value};")
        else:
            self.line(f"{name} = {self.random.choice(('fmaxf', 'fminf'))}({name}, {value});")

    def branch(self, scope):
        name = self.variable(scope)

        def assign(inner):
            if self.random.random() < 0.3:
                self.float_local(inner)
            self.line(f"{name} = {self.expressions.value(inner)};")

        condition = self.expressions.condition(scope)
        pick = self.random.random()
        self.block(f"if ({condition})", scope, assign)
        if pick < 0.5:
            self.block("else", scope, assign)
        elif pick < 0.65:
            self.block(f"else if ({self.expressions.condition(scope)})", scope, assign)

    def loop(self, scope):
        """A loop over a dim, or over a few rounds."""
        name, counter = self.variable(scope), self.name("p")
        pick = self.random.random()
        dim = self.random.choice(list(scope.indices))
        rounds = self.random.choice((2, 3, 4, 7))

        def add(inner, index=None, of=dim, may_continue=True):
            inner.indices[of].append(index or counter)
            if self.random.random() < 0.25:
                self.int_local(inner)
            if self.random.random() < 0.25:
                self.branch(inner)
            if may_continue and self.random.random() < 0.15:
                self.line(f"if ({self.expressions.condition(inner)}) continue;")
            value = self.expressions.value(inner)
            if self.random.random() < 0.2:
                self.line(f"if ({self.expressions.condition(inner)}) {name} += {value};")
            else:
                self.line(f"{name} = {name} * 0.5f + {value};" if self.random.random() < 0.15 else
                          f"{name} += {value};")

        if pick < 0.2:
            self.block(f"for (int {counter} = 0; {counter} < {dim}; ++{counter})", scope, add)
        elif pick < 0.35:
            self.block(f"for (int {counter} = {dim} - 1; {counter} >= 0; --{counter})", scope, add)
        elif pick < 0.5:
            self.block(f"for (int {counter} = {rounds}; {counter} < {dim}; {counter} += {rounds})",
                       scope, add)
        elif pick < 0.6:
            self.block(f"for (int {counter} = 0; {counter} < ({dim} + {rounds - 1}) / {rounds}; "
                       f"{counter}++)", scope, lambda inner: add(inner, f"({counter} * {rounds})"))
        elif pick < 0.7:
            self.line(f"int {counter} = 0;")

            def body(inner):
                add(inner, may_continue=False)  # It would skip the step.
                self.line(f"{counter} += {rounds};")

            self.block(f"while ({counter} < {dim})", scope, body)
        elif pick < 0.8:  # A loop whose bounds are of this thread.
            start = self.random.choice(scope.indices[dim])
            self.block(f"for (int {counter} = {start}; {counter} < {dim}; {counter} += {rounds})",
                       scope, add)
        else:
            unroll = "#pragma unroll\n" if self.random.random() < 0.5 else ""
            if unroll:
                self.lines.append(unroll.strip())
            self.block(f"for (int {counter} = 0; {counter} < {rounds}; ++{counter})", scope,
                       lambda inner: add(inner, f"min({counter}, {dim} - 1)"))

    def store(self, array, places, value):
        """The only store to this element, as it is, or by a read of it first."""
        target = element(array, places)
        self.line(f"{target} = {value};")
