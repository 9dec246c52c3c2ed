"""Random kernels whose threads exchange values: shared memory, barriers, shuffles, tiles."""

from expressions import Array, Scope
from shapes import elementwise, over_rows_and_columns, thread_per_row


def through_shared_memory(kernel):
    """Threads write shared memory, meet at a barrier, and read what others wrote."""
    width = kernel.random.choice((32, 64, 128))
    kernel.out = Array("out", ("n",))
    kernel.block, kernel.grid = [str(width)], [f"cdiv(n, {width})"]
    kernel.shared.append(f"  __shared__ float s[{width + kernel.random.choice((0, 1, 4))}];")
    kernel.line(f"int t = threadIdx.x, i = blockIdx.x * {width} + t;")
    plain = kernel.expressions.plain
    kernel.line("float own = 0.f;" if plain else "int k = min(i, n - 1);")
    scope = kernel.scope(n=["i" if plain else "k"])
    scope.integers.append("t")
    own = kernel.random.choice(("t", f"{width} - 1 - t", f"(t + 5) % {width}", "(t ^ 1)"))
    if plain:
        kernel.statements.block("if (i < n)", scope, lambda inner: first_values(kernel, inner))
        scope.floats.append("own")
        scope.indices.clear()
    else:
        kernel.some_index(scope, "m")
        kernel.statements.some(scope, kernel.random.randint(0, 2))
    fill(kernel, scope, own)
    kernel.line("__syncthreads();")
    indices = {str(width): ["t"]} if plain else {**scope.indices, str(width): ["t"]}
    shared = Scope(indices, scope.floats, [] if plain else [*kernel.inputs], scope.integers)
    if kernel.random.random() < 0.4:
        tree(kernel, width)
        shared.floats.append("s[0]")
    else:
        shared.arrays += [Array("s", (str(width),))] * 2
        if kernel.random.random() < 0.4:
            again(kernel, shared, own)
    kernel.statements.some(shared, kernel.random.randint(0, 2))
    kernel.statements.block("if (i < n)", shared, lambda inner: last_store(kernel, inner))


def first_values(kernel, scope):
    kernel.statements.some(scope, kernel.random.randint(0, 2))
    kernel.line(f"own = {kernel.expressions.value(scope)};")


def last_store(kernel, scope):
    if kernel.expressions.plain:
        scope.indices["n"] = ["i"]
        scope.arrays += kernel.inputs
    kernel.statements.store(kernel.out, ["i"], kernel.expressions.value(scope))


def fill(kernel, scope, own):
    """One element for each thread, in one statement or in two branches."""
    value = kernel.expressions.value
    if kernel.expressions.plain:
        scope.indices = {"n": ["i"]}
        scope.arrays = []
    if kernel.random.random() < 0.3:
        condition = kernel.expressions.condition(scope, on_data=False)
        kernel.line(f"if ({condition}) {{ s[{own}] = {value(scope)}; }} else {{ s[{own}] = "
                    f"{value(scope)}; }}")
    elif kernel.random.random() < 0.3:
        kernel.line(f"s[{own}] = i < n ? {value(scope)} : 0.f;")
    else:
        kernel.line(f"s[{own}] = {value(scope)};")


def tree(kernel, width):
    """Leaves a sum or a maximum of all in s[0]."""
    change = kernel.random.choice(("s[t] += s[t + d];", "s[t] = fmaxf(s[t], s[t + d]);",
                                   "s[t] = s[t] + s[t + d];"))
    kernel.line(f"for (int d = {width // 2}; d > 0; d {kernel.random.choice(('>>= 1', '/= 2'))}) {{")
    kernel.line(f"  if (t < d) {change}")
    kernel.line("  __syncthreads();")
    kernel.line("}")


def again(kernel, scope, own):
    """Reads, and writes again behind another barrier."""
    name = kernel.statements.float_local(scope)
    kernel.line("__syncthreads();")
    kernel.line(f"s[{own}] = {name} {kernel.random.choice('+-*')} 0.5f;")
    kernel.line("__syncthreads();")


def warp_per_row(kernel):
    """The lanes of a warp go through a row together and combine what they have."""
    kernel.out = Array("out", kernel.random.choice((("m",), ("m", "n"))))
    warps = kernel.random.choice((1, 2, 4))
    kernel.block, kernel.grid = [str(32 * warps)], [f"cdiv(m, {warps})"]
    kernel.line("int lane = threadIdx.x % 32;")
    kernel.line(f"int row = blockIdx.x * {warps} + threadIdx.x / 32;")
    kernel.line("if (row >= m) return;")
    scope = kernel.scope(m=["row"], n=["c"])
    for total in ("first", "second")[:kernel.random.randint(1, 2)]:
        largest = kernel.random.random() < 0.3
        kernel.line(f"float {total} = {'-1e30f' if largest else '0.f'};")
        value = kernel.expressions.value(scope)
        kernel.line("for (int c = lane; c < n; c += 32) {")
        kernel.line(f"  {total} = fmaxf({total}, {value});" if largest else
                    f"  {total} += {value};")
        kernel.line("}")
        combine(kernel, total, largest)
        scope.floats.append(total)
    if len(kernel.out.shape) == 1:
        scope.indices["n"] = ["0"]
        kernel.line(f"if (lane == {kernel.random.choice((0, 0, 7))}) out[row] = "
                    f"{kernel.expressions.value(scope)};")
        return
    kernel.statements.block("for (int c = lane; c < n; c += 32)", scope,
                            lambda inner: kernel.statements.store(
                                kernel.out, ["row", "c"], kernel.expressions.value(inner)))


def combine(kernel, total, largest):
    kernel.line("for (int d = 16; d > 0; d /= 2) {")
    other = f"__shfl_xor_sync(0xffffffffu, {total}, d)"
    kernel.line(f"  {total} = fmaxf({total}, {other});" if largest else f"  {total} += {other};")
    kernel.line("}")


def product(kernel):
    """A product of two matrices by tiles in shared memory, with loops as people write them."""
    tile = kernel.random.choice((8, 16))
    kernel.inputs = [Array("a", ("m", "n")), Array("b", ("n", "m")), Array("y", ("m",))]
    kernel.out = Array("out", ("m", "m"))
    pad = kernel.random.choice((0, 1))
    kernel.block, kernel.grid = [str(tile)] * 2, [f"cdiv(m, {tile})"] * 2
    kernel.shared += [f"  __shared__ float as[{tile}][{tile + pad}];",
                      f"  __shared__ float bs[{tile}][{tile + pad}];"]
    kernel.line("int tx = threadIdx.x, ty = threadIdx.y;")
    kernel.line(f"int row = blockIdx.y * {tile} + ty, column = blockIdx.x * {tile} + tx;")
    kernel.line("float sum = 0.f;")
    turned = kernel.random.random() < 0.4  # The tile of a is kept with its columns as rows.
    head, k0 = kernel.random.choice((
        (f"for (int k0 = 0; k0 < n; k0 += {tile})", "k0"),
        (f"for (int k = 0; k < (n + {tile - 1}) / {tile}; ++k)", f"k * {tile}"),
        (f"for (int k0 = (n - 1) / {tile} * {tile}; k0 >= 0; k0 -= {tile})", "k0")))

    def body(_):
        kernel.line(f"{'as[tx][ty]' if turned else 'as[ty][tx]'} = row < m && {k0} + tx < n ? "
                    f"a[row * n + {k0} + tx] : 0.f;")
        kernel.line(f"if (column < m && {k0} + ty < n) bs[ty][tx] = b[({k0} + ty) * m + column];")
        kernel.line("else bs[ty][tx] = 0.f;")
        kernel.line("__syncthreads();")
        if kernel.random.random() < 0.5:
            kernel.statements.lines.append("#pragma unroll")
        kernel.line(f"for (int p = 0; p < {tile}; ++p) sum += "
                    f"{'as[p][ty]' if turned else 'as[ty][p]'} * bs[p][tx];")
        kernel.line("__syncthreads();")

    kernel.statements.block(head, kernel.scope(), body)
    scope = kernel.scope(m=["row", "column"])
    scope.floats += ["sum", "sum"]
    scope.arrays = [Array("y", ("m",))]
    kernel.statements.block("if (row < m && column < m)", scope,
                            lambda inner: kernel.statements.store(
                                kernel.out, ["row", "column"], kernel.expressions.value(inner)))


SHAPES = (elementwise, over_rows_and_columns, thread_per_row, through_shared_memory, warp_per_row,
          product)
