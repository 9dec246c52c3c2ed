// Why a translation of a kernel of tiles computes something else: the lines of both that differ.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/evaluate/binding/pair.h"

namespace ws {

/// Compares what both kernels do, on the workload of the last run of a comparison that failed and
/// on others. Nothing where one is no kernel of tiles.
/// @errors those of compiling.
Result<std::vector<Explanation>> explain_pair(Backend& backend, const PairRequest& request,
                                              const ValidationResult& result,
                                              const std::stop_token& stop);

}  // namespace ws
