"""What computing shows of a PyTorch module, for python_problem.py: which sizes it takes, and whether it is a function of its
inputs."""

import itertools


def runs(torch, module, model, given, axes):
    try:
        module.outputs(model, cut(torch, given, axes))
    except Exception:
        return False
    return True


def join_what_runs_together(torch, module, model, sizes, given, small):
    """Joins symbols of one size of which the module takes only equal ones when it computes."""
    def run_with(*changed):
        larger = {axis: small[axis] + sizes.smallest(axes)[1] for axes in changed for axis in axes}
        return runs(torch, module, model, given, small | larger)

    for first, second in itertools.combinations(list(sizes.symbols), 2):
        known = first in sizes.symbols and second in sizes.symbols and sizes.size(first[0]) == sizes.size(second[0])
        if known and not run_with(second) and not run_with(first) and run_with(first, second):
            sizes.symbols = sorted([axes for axes in sizes.symbols if axes not in (first, second)] + [first + second])


def keep_what_runs(torch, module, sizes, given):
    """Mends symbols that only run without elements: PyTorch does not check everything there. Those of one size become
    one, or numbers."""
    model = module.make(module.seed)
    small = small_sizes(sizes)
    if not small:
        return
    if runs(torch, module, model, given, small):
        join_what_runs_together(torch, module, model, sizes, given, small)
        sizes.outputs = sizes.output_shapes()
        return
    kept = [axes for axes in sizes.symbols
            if not runs(torch, module, model, given, {axis: size for axis, size in small.items() if axis not in axes})]
    without = {axis: size for axis, size in small.items() if any(axis in axes for axes in kept)}
    sizes.symbols = kept if runs(torch, module, model, given, without) else []
    sizes.outputs = sizes.output_shapes()


def same(torch, a, b):
    return a.shape == b.shape and a.dtype == b.dtype and bool(torch.equal(torch.nan_to_num(a), torch.nan_to_num(b)))


def check_shapes(module, model, values, others):
    """@param others  Inputs of the same sizes with other elements."""
    shapes = [[tuple(each.shape) for each in module.outputs(model, given)] for given in (values, others)]
    if shapes[0] != shapes[1]:
        raise Wrong(f"the shape of an output depends on the data: {shapes[0]} and {shapes[1]}",
                    "problems have shapes that follow from the sizes of their inputs")


def check_pure(module, model, values):
    """The outputs of one call, which must be those of any other. Says which buffers the call changes."""
    torch = module.torch
    kept = [value.clone() if isinstance(value, torch.Tensor) else value for value in values]
    before = {name: tensor.detach().clone() for name, tensor in module.state(model).items()}
    torch.manual_seed(module.seed)
    first = [each.clone() for each in module.outputs(model, values)]
    for name, old, value in zip(module.names, kept, values):
        if isinstance(value, torch.Tensor) and not same(torch, old, value):
            raise Wrong(f"the module changes its input `{name}` in place", "let it work on a copy")
    changed = [name for name, tensor in module.state(model).items() if not same(torch, before[name], tensor.detach())]
    torch.manual_seed(module.seed + 1)
    second = module.outputs(model, values)
    if [each.dtype for each in first] != [each.dtype for each in second]:
        raise Wrong("the module gives another type in its second call", "let it keep no state between calls")
    if len(first) != len(second) or not all(map(lambda a, b: same(torch, a, b), first, second)):
        if changed:
            raise Wrong(f"the module's results depend on `{changed[0]}`, which each call changes",
                        "call eval() in its constructor, or keep no state between calls")
        raise Wrong("the module gives other results for the same inputs: it draws random numbers, as dropout does",
                    "call eval() in its constructor, or leave the dropout out")
    return first, changed


def used_weights(module, model, values, changed):
    """The names of the weights on which the outputs depend."""
    torch = module.torch
    if module.without_f16:
        model, values = module.in_f32(model, values)
    state = {name: tensor for name, tensor in module.state(model).items()
             if tensor.is_floating_point() and name not in changed}
    for tensor in state.values():
        tensor.requires_grad_(True)
    with torch.enable_grad():
        listed = [each for each in as_list(model(*values)) if each.requires_grad]
    if not state or not listed:
        return []
    total = sum(each.double().sum() for each in listed)
    grads = torch.autograd.grad(total, list(state.values()), allow_unused=True)
    for tensor in state.values():
        tensor.requires_grad_(False)
    return [name for (name, tensor), grad in zip(state.items(), grads) if grad is not None]
