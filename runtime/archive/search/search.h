// Finds stored kernels: by problem, by words, by similar code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/verdict.h"
#include "runtime/search/operations.h"

namespace ws {

/// At least one of `problem_id`, `words` and `runs` is given; a kernel need not meet all of them.
struct SearchRequest {
  std::string problem_id;           ///< Stored; empty: any.
  std::vector<std::string> words;   ///< As words_of() gives them.
  std::vector<std::uint64_t> runs;  ///< As token_runs() gives them.
  std::string exclude;              ///< A kernel that is no hit, and where `runs` are from.
  std::string device;               ///< DeviceInfo::key of the device whose results count most.
  std::string arch;                 ///< The architecture of that device.
  bool failures = false;            ///< Also kernels that failed; they get a third of the hits.
  std::size_t limit = 5;            ///< Hits.
};

struct SearchHit {
  std::int64_t seq = 0;  ///< The kernel's number in the index.
  std::string kernel_id;
  std::string problem_id;
  double score = 0;  ///< 0 to 1: how well it fits, times how well it did.

  // Why it was found; nothing or empty where it was not asked for, or was not the reason.
  std::optional<double>
      nearness;  ///< How near its problem is, see nearness(); 1: the same problem.
  std::vector<std::string> words;      ///< Those of the request that it has.
  std::optional<double> common_share;  ///< The share of code in common, see jaccard().
  /// The share of operations that its lifted program has in common, see operation_runs(): known
  /// where both it and `exclude` are lifted.
  std::optional<double> operations_share;

  // How it stands: on the device asked for where it was judged there, else on another.
  bool passed = false;
  std::string device;  ///< Its key.
  Verdict verdict = Verdict::kSuspect;
  std::string evidence_id;
  std::optional<double> ratio;  ///< Time of the baseline over its own.
  std::string against;          ///< The baseline: "reference" or a kernel id.
  std::int64_t at_ms = 0;       ///< When it was judged, since the epoch.

  /// The ratio where it compares with that of other kernels: against the problem's reference.
  [[nodiscard]] std::optional<double> speed_up() const {
    return against == "reference" ? ratio : std::nullopt;
  }

  std::size_t duplicates = 0;  ///< Further kernels that were found, with almost the same code.
};

struct SearchResult {
  std::vector<SearchHit> hits;  ///< Best first.
  /// Fit, but were never judged here, such as imported ones; counted when there are fewer hits than
  /// asked for.
  std::size_t unverified = 0;
  bool cut = false;  ///< More fit than were looked at: the newest, or the likest.
};

}  // namespace ws
