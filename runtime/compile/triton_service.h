// The compile services of Triton: its kernels to PTX in a Python worker, and PTX to machine code.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/compile/compile_service.h"
#include "runtime/compile/toolkit.h"

namespace ws {

/// Where this machine's Triton lies.
struct TritonKit {
  std::string interpreter;  ///< The Python that has it, by its whole path.
  std::string folder;       ///< The package's own.
};

/// The first of the interpreters that has Triton in its own folders of packages. Looks at files
/// only. @threads any.
std::optional<TritonKit> find_triton(const std::vector<std::string>& interpreters);

/// "3.6.0", by the package's metadata; empty where it does not say.
std::string triton_version(const TritonKit& kit);

/// Requests have one entry and, as `options`, a line for each parameter that the launch passes,
/// then num_warps and num_stages (runtime/worker/python_triton.py); `defines` has the version of
/// PTX, 90 for 9.0. Outcomes have `ptx`, and one entry without code.
///
/// @param executable  Of this product: it starts the interpreter.
/// @param store       Null: outcomes are kept in memory only.
CompileService::Options triton_service(const std::string& executable, const TritonKit& kit,
                                       std::shared_ptr<CompileStore> store = nullptr);

/// Requests have PTX texts as `headers` and the symbols of kernels as `entries`
/// (runtime/compile/assembler). The service's version is "nvJitLink 13.0", its arch the newest
/// version of PTX that it reads: "90".
///
/// @param toolkit  With find_linker().
CompileService::Options ptx_service(const std::string& executable, const Toolkit& toolkit,
                                    std::shared_ptr<CompileStore> store = nullptr);

}  // namespace ws
