// Files of other projects as arguments of compile_kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/base/result.h"

namespace ws {

/// A problem and a kernel as forms in JSON, in which their readers have not looked yet.
struct ImportedForms {
  std::string problem;
  std::string kernel;              ///< Empty: there is none.
  std::vector<std::string> notes;  ///< Sentences about what the forms leave out.
};

/// The sizes of variable axes that the user gives, by axis.
using AxisSizes = std::map<std::string, std::vector<std::int64_t>>;

/// Files of FlashInfer-Bench: one definition, at most one solution, and lines with workloads or
/// traces, in any order.
/// @param texts  The contents of the files.
/// @param sizes  Beside those of the workloads; where several axes have some, all combinations.
/// @errors kInvalidArgument, kUnsupported, kConflict: what cannot be taken, and why.
Result<ImportedForms> import_flashinfer(const std::vector<std::string>& texts,
                                        const AxisSizes& sizes);

/// A solution of KernelBench: the kernel that its function launches, or the one that an export has
/// beside its texts.
/// @param problem  The form of the problem of its module; empty: only an export says its problem.
/// @param parts    As read_solution() of runtime/reference/solution_reader.h gives them.
/// @errors as above.
Result<ImportedForms> import_kernelbench(const std::string& problem, const std::string& parts);

}  // namespace ws
