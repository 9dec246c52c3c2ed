# ---- Sizes: the functions of the plan's expressions, and the checks ----
import math as handover_math


def handover_cdiv(a, b):
    return -(-a // b)


def handover_min(*values):
    return min(values)


def handover_max(*values):
    return max(values)


def handover_abs(a):
    return abs(a)


def handover_log2(a):
    if a < 1:
        raise ValueError(f"log2 of {a}")
    return a.bit_length() - 1


def handover_gcd(a, b):
    return handover_math.gcd(a, b)


def handover_lcm(a, b):
    divisor = handover_math.gcd(a, b)
    return abs(a // divisor * b) if divisor else 0


def handover_pow2ceil(a):
    return 1 if a <= 1 else 1 << (a - 1).bit_length()


def handover_check_range(dim, value, low, high, multiple_of):
    if not low <= value <= high or value % multiple_of:
        grain = f" in multiples of {multiple_of}" if multiple_of > 1 else ""
        raise ValueError(f"dim `{dim}` is {value}, outside the range {low} to {high}{grain}")


def handover_check_listed(dim, value, listed):
    if value not in listed:
        raise ValueError(f"dim `{dim}` is {value}, outside the sizes {', '.join(map(str, listed))}")


def handover_check_condition(holds, condition):
    if not holds:
        raise ValueError(f"the sizes break the condition `{condition}`")


def handover_check_rank(name, array, rank):
    if len(array.shape) != rank:
        raise ValueError(f"`{name}` has {len(array.shape)} dimensions, expected {rank}")


def handover_row_major(shape):
    strides, stride = [], 1
    for extent in reversed(shape):
        strides.insert(0, stride)
        stride *= max(extent, 1)
    return tuple(strides)


def handover_span(shape, strides):
    """Elements from the first to the last one, gaps included."""
    if 0 in shape:
        return 0
    return 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides or handover_row_major(shape)))


def handover_check_shape(name, shape, strides, expected, expected_strides):
    if tuple(shape) != tuple(expected):
        raise ValueError(f"`{name}` has shape {tuple(shape)}, expected {tuple(expected)}")
    expected_strides = expected_strides or handover_row_major(expected)
    for extent, stride, wanted in zip(shape, strides, expected_strides):
        if extent > 1 and stride != wanted:
            raise ValueError(f"`{name}` has strides {tuple(strides)}, expected {tuple(expected_strides)}: make it contiguous")


def handover_inside(offset, span, what):
    if not 0 <= offset < max(span, 1):
        raise ValueError(f"{what} is {offset}, outside a buffer of {span} elements")
    return offset
