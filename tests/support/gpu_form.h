// Kernels of the GPU suites from their forms: from ints to ints, rows x 32.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "runtime/device/backend.h"
#include "runtime/evaluate/prepared.h"

namespace ws::test {

struct GpuForm {
  const char* name;
  const char* source;
  const char*
      plan;  ///< The kernel's other fields. The arguments are A, of which B is made, and rows.
};

/// Compiles for the backend; fails the test when it does not.
/// @param headers  By name, as a kernel's form has them.
Compiled compiled_form(Backend& backend, const GpuForm& form, int rows,
                       const nlohmann::json& headers = nlohmann::json::object());

/// A compiler for sm_90a; null, with a line, where no toolkit is.
std::unique_ptr<Backend> form_compiler();

/// A GPU of sm_90 or newer; null, with a line that `what` is left out, where none is.
Backend* form_gpu(const char* what);

/// A buffer's ints: 0 is A, 1 is B.
std::span<int> ints(const Prepared& prepared, std::size_t buffer);

}  // namespace ws::test
