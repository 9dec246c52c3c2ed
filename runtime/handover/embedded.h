// The fixed parts of exported files, from runtime/handover/text.
#pragma once

#include <string_view>

namespace ws {

std::string_view handover_numbers();       ///< Whole numbers, layouts and checks, without CUDA.
std::string_view handover_launch();        ///< Parameters of kernels and launches.
std::string_view handover_tensor_map();    ///< Tensor maps.
std::string_view handover_self_check();    ///< The parts of the program that checks itself.
std::string_view handover_python_call();   ///< Its call of a reference in Python.
std::string_view handover_torch_checks();  ///< Checks and memory of PyTorch in C++.

// In Python.
std::string_view handover_numbers_py();        ///< Functions of expressions, checks of sizes.
std::string_view handover_cupy_arrays();       ///< Arrays and launches of CuPy.
std::string_view handover_torch_arrays();      ///< Tensors of PyTorch.
std::string_view handover_python_reference();  ///< A program for the call of a reference.
std::string_view handover_torch_test();        ///< Inputs and comparisons of a test in PyTorch.

}  // namespace ws
