# ---- Inputs and comparison ----
import math
import unittest

import torch


def handover_draw(kind, a, b, c, low, high, dtype, shape, strides, seed):
    """A tensor that is filled as the problem says; a, b and c are the numbers of the kind."""
    generator = torch.Generator("cpu").manual_seed(seed)
    unit = torch.rand(shape, generator=generator, dtype=torch.float64)
    normal = torch.randn(shape, generator=generator, dtype=torch.float64)
    count = unit.numel()
    real = dtype.is_floating_point

    def whole(first, last):
        return first + torch.floor(unit * (last - first + 1))

    kinds = {
        "normal": lambda: a + b * normal if real else torch.round(a + b * normal),
        "uniform": lambda: a + (b - a) * unit if real else whole(a, b),
        "ones": lambda: torch.ones_like(unit),
        "zeros": lambda: torch.zeros_like(unit),
        "iota": lambda: (a + b * torch.arange(count, dtype=torch.float64)).reshape(shape),
        "exact_integers": lambda: whole(-math.floor(a), math.floor(a)),
        "log_uniform": lambda: a * torch.exp(math.log(b / a) * unit),
        "sparse": lambda: torch.where(unit < a, b + c * normal, torch.zeros_like(unit)),
        "range": lambda: whole(a, b - 1),
        "permutation": lambda: (a + torch.randperm(count, generator=generator).double()).reshape(shape),
    }
    if kind not in kinds:
        raise unittest.SkipTest(f"this test does not draw inputs of kind {kind}")
    values = kinds[kind]().clamp(low, high).to(dtype)
    tensor = torch.empty_strided(shape, strides, dtype=dtype, device="cuda")
    return tensor.copy_(values)


def handover_rows(tensor, count, *others):
    """Rows in an order that depends on their values alone."""
    columns = [each.detach().cpu()[:count].reshape(count, -1) for each in (tensor, *others)]
    rows = sorted(map(tuple, torch.cat([each.double() for each in columns], 1).tolist()))
    return torch.tensor(rows, dtype=torch.float64)


def handover_compare(test, name, got, want, exact, rtol, atol):
    got = got.detach().cpu().double().reshape(-1, got.shape[-1] if got.dim() else 1)
    want = torch.as_tensor(want).detach().cpu().double().reshape(got.shape)
    if exact:
        test.assertTrue(torch.equal(got, want), f"{name} differs")
        return
    rows = (want if want.shape[-1] >= 16 else want.reshape(1, -1)).square().mean(-1, keepdim=True).sqrt()
    off = (got - want).abs()
    wrong = ~((got == want) | (off <= atol * rows + rtol * want.abs()) | (got.isnan() & want.isnan()))
    test.assertFalse(bool(wrong.any()), f"{name}: {int(wrong.sum())} elements are wrong, by up to {float(off.max())}")


def handover_array(tensor):
    """An array of NumPy, which has no bfloat16 and no numbers of 8 bits."""
    own = tensor.cpu()
    known = (torch.float64, torch.float32, torch.float16)
    return (own if not own.dtype.is_floating_point or own.dtype in known else own.float()).numpy()


def handover_by_name(result, names):
    """The outputs of a reference, which are a dict, a list in order, or the only array."""
    if isinstance(result, dict):
        return result
    return dict(zip(names, result if isinstance(result, (tuple, list)) else [result]))
