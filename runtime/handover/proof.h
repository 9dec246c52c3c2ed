// The reason to trust a kernel that is handed over: its evidence, and the sizes that it was
// verified for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernel/plan/workloads.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The sizes of one dim that a launcher takes.
struct DimRange {
  std::string dim;
  std::vector<std::int64_t> listed;  ///< Only these, ascending; empty: all from low to high.
  std::int64_t low = 1;
  std::int64_t high = 1;
  std::int64_t multiple_of = 1;

  /// "1 to 4096, multiples of 8"; "64, 128".
  [[nodiscard]] std::string text() const;
};

struct Proof {
  std::string evidence_id;  ///< Empty: there is none.
  std::string verdict;      ///< The evidence's: "passed".
  std::string device;       ///< Where it was gained: "cpu:0", or a GPU's UUID.
  std::string arch;         ///< Its architecture: "sm_90a"; empty: unknown.
  bool passed = false;
  bool verified_sizes = false;   ///< The ranges are those that ran, not those that are declared.
  std::vector<DimRange> ranges;  ///< One for each dim, in the problem's order.
};

/// The ranges that `ran` spans: from the smallest to the largest size of each open dim, and the
/// listed sizes of others. Where nothing ran, those that the problem declares.
/// @param fixed  Dims that are compiled in: only the size of `workload` is left.
std::vector<DimRange> ranges_of(const Problem& problem, const std::vector<Workload>& ran,
                                const std::vector<std::string>& fixed, const Workload& workload);

}  // namespace ws
