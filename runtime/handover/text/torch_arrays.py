# ---- Tensors of PyTorch ----
import torch as handover_torch


def handover_check(name, tensor, dtype, shape, strides):
    if not isinstance(tensor, handover_torch.Tensor):
        raise TypeError(f"`{name}` is no tensor")
    if tensor.dtype != dtype:
        raise TypeError(f"`{name}` has elements of type {tensor.dtype}, expected {dtype}")
    if not tensor.is_cuda or tensor.device.index != handover_torch.cuda.current_device():
        raise ValueError(f"`{name}` lies on {tensor.device}, not on the current CUDA device")
    handover_check_shape(name, tensor.shape, tensor.stride(), shape, strides)
    if tensor.data_ptr() % 16:
        raise ValueError(f"the address of `{name}` is not a multiple of 16")


def handover_empty(shape, dtype, strides=None, zero=False):
    strides = strides or handover_row_major(shape)
    tensor = handover_torch.empty_strided(shape, strides, dtype=dtype, device="cuda")
    return tensor.zero_() if zero else tensor


def handover_from(tensor, offset, span):
    """The elements from an offset on, in one row."""
    return handover_torch.as_strided(tensor, (max(span - offset, 1),), (1,), tensor.storage_offset() + offset)
