// The reference that an exported program compares its kernel with.
#pragma once

#include <cstdint>

#include "runtime/kernel/problem.h"

namespace ws {

enum class Compared : std::uint8_t {
  kKernel,    ///< The problem's reference kernel.
  kModule,    ///< A Python program that runs a PyTorch module (has_module()).
  kFunction,  ///< `reference(inputs, dims)` in Python.
  kNothing,   ///< The problem has no reference that can be taken along.
};

Compared compared_with(const Problem& problem);

}  // namespace ws
