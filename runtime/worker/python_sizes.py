"""Which sizes of a module's inputs may vary, found by running it on tensors without elements.

The axes of all inputs are joined into symbols: an axis that may change alone is one, and axes of one
size that only change together are one. What the module does not take in other sizes stays a number.
"""

import itertools

MOST_PROBES = 400
SMALL = 16  # What sizes become for trying things out, where the module takes that.
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2, "i8": 1, "u8": 1, "bool": 1}


class Sizes:
    """The symbols of a module, and the shapes of its outputs in terms of them."""

    def __init__(self, torch, module, values):
        self.torch, self.module, self.values = torch, module, values
        self.probes = 0
        self.axes = [(i, axis) for i, value in enumerate(values) if isinstance(value, torch.Tensor)
                     for axis in range(value.dim()) if value.shape[axis] > 1]
        self.model = self.meta_model()
        self.shapes = self.run({})  # None: torch cannot tell sizes without computing.
        self.symbols = self.join() if self.shapes is not None else []
        self.outputs = self.output_shapes()

    def meta_model(self):
        model = self.module.make(self.module.seed)
        return model if self.module.function else model.to("meta")

    def size(self, axis):
        return self.values[axis[0]].shape[axis[1]]

    def run(self, changed):
        """The shapes of the outputs, with sizes by axis that differ; None: not taken."""
        if self.probes >= MOST_PROBES:
            return None
        self.probes += 1
        given = []
        for i, value in enumerate(self.values):
            if isinstance(value, self.torch.Tensor):
                shape = [changed.get((i, axis), size) for axis, size in enumerate(value.shape)]
                value = self.torch.empty(shape, dtype=value.dtype, device="meta")
            given.append(value)
        try:
            result = self.module.outputs(self.model, given)
        except Exception:
            return None
        return [tuple(each.shape) for each in result]

    def takes(self, axes, size):
        return self.run({axis: size for axis in axes}) is not None

    def other_sizes(self, axes):
        size = self.size(axes[0])
        return (2 * size, size + 1)

    def varies(self, axes):
        return any(self.takes(axes, size) for size in self.other_sizes(axes))

    def join(self):
        """Lists of axes, each one symbol."""
        alone = [axis for axis in self.axes if self.varies([axis])]
        symbols, left = [[axis] for axis in alone], [axis for axis in self.axes if axis not in alone]
        while left:
            first = left.pop(0)
            same = [axis for axis in left if self.size(axis) == self.size(first)]
            found = next((list(each) for each in self.partners(first, same) if self.varies([first, *each])), None)
            if found:
                symbols.append([first, *found])
                left = [axis for axis in left if axis not in found]
        return sorted(symbols)

    def partners(self, first, same):
        """Sets of axes that may change with the first one. Those in its place of the other inputs come first, then
        small sets: of square inputs all axes may change together, but they need not."""
        def place(axis):
            return self.values[axis[0]].dim() - axis[1]

        yield [axis for axis in same if place(axis) == place(first)]
        few = min(len(same), 2)
        for count in [*range(1, few + 1), *range(len(same), few, -1)]:
            yield from itertools.combinations(same, count)

    def smallest(self, axes):
        """The least size that is taken, and the number that sizes are multiples of."""
        size = self.size(axes[0])
        step = next((step for step in (1, 2, 4, 8, 16, 32, 64, 128, 256)
                     if size % step == 0 and self.takes(axes, size + step)), size)
        low = size
        for least in (1, 2, 3, 4, 5, 7, 8, 16, 32, 64, 128):
            if least % step == 0 and least < size and self.is_full({axis: least for axis in axes}):
                low = least
                break
        return low, step

    def is_full(self, changed):
        shapes = self.run(changed)
        return shapes is not None and all(size > 0 for shape in shapes for size in shape)

    def outputs_with(self, which, size):
        return self.run({axis: size for axis in self.symbols[which]})

    def output_shapes(self):
        """For each output a list of numbers and expressions of {0}, {1}, ...: the symbols. Symbols that an output
        depends on in another way become numbers."""
        while self.shapes is not None:
            rows = [[self.expression(output, axis) for axis in range(len(shape))]
                    for output, shape in enumerate(self.shapes)]
            bad = {which for row in rows for found in row if isinstance(found, set) for which in found}
            if not bad:
                return rows
            self.symbols = [axes for which, axes in enumerate(self.symbols) if which not in bad]
        return []

    def expression(self, output, axis):
        """A number, a text, or the set of symbols by which the size cannot be said."""
        base = self.shapes[output][axis]
        seen = {}
        for which, axes in enumerate(self.symbols):
            size = self.size(axes[0])
            rows = [(other, shapes[output][axis]) for other in (size + 1, size + 2, size + 3, 2 * size, 3 * size)
                    if (shapes := self.outputs_with(which, other)) is not None]
            if any(value != base for _, value in rows):
                seen[which] = [(size, base), *rows]
        if not seen:
            return base
        if len(seen) == 1:
            which, rows = next(iter(seen.items()))
            return linear(which, rows) or {which}
        return self.product(base, seen) or self.sum(base, seen) or set(seen)

    def product(self, base, seen):
        sizes = [self.size(self.symbols[which][0]) for which in seen]
        whole = 1
        for size in sizes:
            whole *= size
        if base % whole or any(value * size != base * other for which, rows in seen.items()
                               for size, _ in rows[:1] for other, value in rows):
            return None
        factor = [str(base // whole)] if base != whole else []
        return " * ".join(factor + ["{%d}" % which for which in seen])

    def sum(self, base, seen):
        rest = base - sum(self.size(self.symbols[which][0]) for which in seen)
        if any(value - base != other - rows[0][0] for rows in seen.values() for other, value in rows):
            return None
        return " + ".join(["{%d}" % which for which in seen] + ([str(rest)] if rest else []))


def linear(which, rows):
    """`{which} * a`, or (`{which}` + b) // t with whole numbers that fit all rows; None: there are none."""
    (size, base), place = rows[0], "{%d}" % which
    if base % size == 0 and all(value == other * (base // size) for other, value in rows):
        return place if base == size else f"{base // size} * {place}"
    for divisor in range(1, 17):
        low = base * divisor - size
        for offset in range(low, low + divisor):
            if all((other + offset) // divisor == value for other, value in rows):
                text = f"{place} + {offset}" if offset > 0 else f"{place} - {-offset}" if offset else place
                return text if divisor == 1 else f"({text}) // {divisor}"
    return None


def small_sizes(sizes):
    """Sizes by axis that are run in a moment; those of the example where the module does not take them together."""
    changed = {}
    for axes in sizes.symbols:
        low, step = sizes.smallest(axes)
        size = max(low, -(-SMALL // step) * step)
        changed |= {axis: min(size, sizes.size(axis)) for axis in axes}
    return changed if sizes.is_full(changed) else {}


def cut(torch, values, changed, from_end=False):
    """The inputs with as many elements along each axis as `changed` says, copied where they are fewer."""
    def part(size):
        return slice(size) if size is None or not from_end else slice(-size, None)

    return [value[tuple(part(changed.get((i, axis))) for axis in range(value.dim()))].contiguous().clone()
            if isinstance(value, torch.Tensor) and any(at == i for at, _ in changed) else value
            for i, value in enumerate(values)]


def bytes_text(args):
    """How many bytes have to be moved at least, as an expression of dims."""
    parts = []
    for arg in args:
        factors = [str(BYTES[arg["type"]])] + [f"({size})" if not isinstance(size, int) and " " in size else str(size)
                                               for size in arg["shape"]]
        parts.append(" * ".join(factors))
    return " + ".join(parts)


def flops_text(sizes, dims):
    """How many operations products and convolutions take, as an expression of dims; None: not known."""
    counter = sys.modules.get("torch.utils.flop_counter")
    if counter is None or sizes.shapes is None:
        return None

    def count(axes):
        with counter.FlopCounterMode(display=False) as mode:
            sizes.run({axis: 2 * sizes.size(axis) for axis in axes})
        return mode.get_total_flops()

    whole = count([])
    counts = [count(axes) for axes in sizes.symbols]
    powers = [each.bit_length() - whole.bit_length() for each in counts]
    if any(power < 0 or each != whole << power for each, power in zip(counts, powers)):
        return None
    factor = whole
    for axes, power in zip(sizes.symbols, powers):
        if factor % sizes.size(axes[0]) ** power:
            return None
        factor //= sizes.size(axes[0]) ** power
    doubled = count([axis for axes in sizes.symbols for axis in axes])
    if whole == 0 or doubled != whole * 2 ** sum(powers):
        return None  # A sum of products with different sizes, for instance.
    return " * ".join([str(factor)] + [name for (name, _), power in zip(dims, powers) for _ in range(power)])
