# ---- Arrays and launches of CuPy ----
import cupy as handover_cupy
import numpy as handover_numpy


def handover_check(name, array, dtype, shape, strides):
    if not isinstance(array, handover_cupy.ndarray):
        raise TypeError(f"`{name}` is no array of CuPy")
    if array.dtype != dtype:
        raise TypeError(f"`{name}` has elements of type {array.dtype}, expected {handover_numpy.dtype(dtype)}")
    if array.device.id != handover_cupy.cuda.Device().id:
        raise ValueError(f"`{name}` lies on device {array.device.id}, not on the current one")
    own = [stride // array.itemsize for stride in array.strides]
    handover_check_shape(name, array.shape, own, shape, strides)
    if array.data.ptr % 16:
        raise ValueError(f"the address of `{name}` is not a multiple of 16")


def handover_empty(shape, dtype, strides=None, zero=False):
    span = handover_span(shape, strides)
    memory = (handover_cupy.zeros if zero else handover_cupy.empty)(max(span, 1), dtype)
    in_bytes = [stride * memory.itemsize for stride in strides or handover_row_major(shape)]
    return handover_cupy.ndarray(shape, dtype, memptr=memory.data, strides=tuple(in_bytes))


def handover_address(array, offset=0):
    return handover_numpy.uint64(array.data.ptr + offset * array.itemsize)


def handover_whole(name, value, width):
    """A dim or a parameter, which takes the width of the kernel's parameter."""
    if width == 8:
        return handover_numpy.int64(value)
    if not -2**31 <= value < 2**32:
        raise ValueError(f"`{name}` is {value}, which 32 bits do not hold")
    return handover_numpy.uint32(value % 2**32)


class HandoverModule:
    """The compiled source, and the sizes of its kernels' parameters in bytes."""

    def __init__(self, source, options, entries, counts, cooperative):
        self.module = handover_cupy.RawModule(
            code=source, options=options, name_expressions=entries,
            enable_cooperative_groups=cooperative)
        self.kernels = [self.module.get_function(entry) for entry in entries]
        self.widths = [self.read(f"handover_widths_{i}", count) for i, count in enumerate(counts)]

    def read(self, name, count):
        if not count:
            return []
        memory = self.module.get_global(name)
        return handover_cupy.ndarray((count,), handover_numpy.int32, memptr=memory).get().tolist()

    def fill(self, symbol, array, count):
        """Fills a variable of the module on the current stream."""
        target = handover_cupy.ndarray((count,), array.dtype, memptr=self.module.get_global(symbol))
        target[...] = handover_cupy.ndarray((count,), array.dtype, memptr=array.data)

    def launch(self, entry, grid, block, shared_bytes, arguments):
        kernel = self.kernels[entry]
        if shared_bytes > 48 << 10:
            kernel.max_dynamic_shared_size_bytes = shared_bytes
        kernel(grid, block, arguments, shared_mem=shared_bytes)
