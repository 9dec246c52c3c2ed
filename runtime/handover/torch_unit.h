// The parts of an extension of PyTorch that are the same however it is built.
#pragma once

#include <string>

#include "runtime/handover/cuda_unit.h"

namespace ws {

/// The arguments, and the declarations of what torch_kernel() defines. For C++ and for nvcc.
std::string torch_header(const CudaUnit& unit);

/// The device code and functions that launch it on PyTorch's current stream.
/// @param header  The text of torch_header(), or a line that includes it.
std::string torch_kernel(const CudaUnit& unit, const std::string& header);

/// Options of nvcc, as items of a list of Python, that undo what PyTorch hides from kernels.
std::string shown_operators();

/// Lines of Python that give STANDARD, a list of options for both compilers. `torch` is imported.
std::string chosen_standard();

/// The words of an option text as further items of a list of Python: `, "-arch=sm_80"`.
std::string option_items(const std::string& options);

}  // namespace ws
