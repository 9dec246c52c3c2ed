// The forms of Kernel Tuner: its cache files out, search spaces of T1 files in. (Its results come
// in by runtime/archive/transfer/transfer.h, as claims.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/tune/journal.h"

namespace ws::tune {

/// A cache file of Kernel Tuner, schema 1.1.0, with every evaluation of a journal. Times are in
/// milliseconds; what failed has one of that schema's three words in place of its time, and the
/// verdict beside it. Its `problem_size` is the timed workloads as JSON text.
///
/// @source  kernel_tuner/schema/cache/1.1.0/schema.json of Kernel Tuner 1.4.
std::string kernel_tuner_cache(const JournalFile& journal, const std::string& kernel_name);

/// A search space as the fields of a kernel.
struct SpaceForm {
  std::vector<Axis> params;
  Params defaults;  ///< The defaults of those parameters that have one.
  std::vector<std::string> constraints;
};

/// Reads `ConfigurationSpace` of a T1 file.
/// @errors kInvalidArgument: it is no such file; values that are no list of integers; a condition
/// that is not written in our expressions, with its text.
Result<SpaceForm> read_t1(std::string_view text);

/// {"params", "defaults", "constraints"}: for `kernel` or `set` of compile_kernel.
std::string to_json_text(const SpaceForm& form);

}  // namespace ws::tune
