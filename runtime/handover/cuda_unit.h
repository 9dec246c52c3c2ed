// The text of kernel and launcher that the forms for nvcc have in common.
#pragma once

#include <string>

#include "runtime/handover/handover.h"

namespace ws {

struct CudaUnit {
  std::string numbers;    ///< Needs no CUDA: whole numbers, arguments, layouts, check_sizes().
  std::string launcher;   ///< Needs `numbers` before it: device code and run_kernel().
  std::string reference;  ///< The same with run_reference(); empty: the problem has no such kernel.
};

/// @errors kUnsupported: the kernel is not in CUDA C++; kInvalidArgument: the plan fails.
Result<CudaUnit> cuda_unit(const Handover& handover);

}  // namespace ws
