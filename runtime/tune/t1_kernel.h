// T1 files of Kernel Tuner, whole: kernel specifications in as problems and kernels, and kernels
// out as specifications. (kernel_tuner.h has the search spaces and the results.)
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/result.h"
#include "runtime/exchange/imported.h"

namespace ws::tune {

/// The file with the kernel's source, as the specification names it: a relative path that stays
/// below the folder of the T1 file, with an ending of C++ code. @errors kInvalidArgument: it is no
/// such file; another path.
Result<std::string> kernel_file_of(std::string_view t1);

/// The problem and the kernel of a specification. Parameters become macros, as Kernel Tuner gives
/// them; the grid is the problem size over its divisors. A T1 file says nothing about right
/// results: the first kernel is the reference. A file that was exported here gives back its own
/// problem and kernel.
///
/// @param source  The text of kernel_file_of().
/// @errors kInvalidArgument, kUnsupported: what a problem or a kernel cannot have; kConflict: an
///         exported file that was changed, and where.
/// @source kernel_tuner/schema/T1/1.0.0/input-schema.json and tune_kernel_T1 of Kernel Tuner 1.4.
Result<ImportedForms> import_t1(std::string_view t1, const std::string& source);

}  // namespace ws::tune
