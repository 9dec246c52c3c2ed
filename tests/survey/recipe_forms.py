"""Parts of recipes: arguments of problems and launches."""


def number(value, kind="i32"):
    """A constant argument of a launch."""
    return {"value": str(value), "type": kind}


def real(value):
    return number(value, "f32")


def array(name, shape, role="in", kind="f32", **more):
    """An argument of a problem."""
    return {"name": name, "type": kind, "shape": shape, "role": role} | more


def arrays_of(usual):
    """array(), for recipes most of whose arrays have another type."""
    def typed(name, shape, role="in", kind=usual, **more):
        return array(name, shape, role, kind, **more)
    return typed


def wanted(value, low, high, **more):
    """A dim with one listed size, and the range of hidden ones."""
    return {"values": [value], "min": low, "max": high} | more


def recipe(file, kernel, dims, args, reference, grid, constants, **more):
    """All arrays of the problem are the first arguments of the kernel, in the same order."""
    return {"file": file, "kernel": kernel, "dims": dims, "args": args, "reference": "import numpy as np\n" + reference,
            "launches": [{"grid": grid, "args": [each["name"] for each in args] + constants}]} | more
