// The transformations that may apply to a kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/answer/typed_job.h"
#include "tools/apply_transformation/params.h"

namespace ws {

/// Tries at all passes of a transformation.
struct TryCounts {
  std::int64_t tries = 0;
  std::int64_t failed = 0;
};

struct ApplicableTransformation {
  std::string name;
  std::string summary;
  std::optional<TryCounts> counts;  ///< Nothing: nobody has tried it.
};

struct TransformationList {
  std::string kernel_id;
  std::string arch;                                  ///< As Step::arch.
  std::vector<ApplicableTransformation> applicable;  ///< Their requirements hold, or may hold.
  std::map<std::string, std::string> others;         ///< Why the others do not apply, by name.
  std::vector<PassTry> history;                      ///< The passes that made the kernel.
};

/// @errors Those of begin_step; kIo: the archive cannot be read.
Result<TransformationList> list_transformations(Services& services, const TransformParams& params);

/// The answer without a transformation.
Answer answer_of(const TransformationList& list);

}  // namespace ws
