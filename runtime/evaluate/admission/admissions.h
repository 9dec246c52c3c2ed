// The weaknesses of problems: found once for each problem, then read from the archive.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/evaluate/admission/admission.h"

namespace ws {

/// The weaknesses of problems, kept in the archive. All methods: any thread.
class Admissions {
 public:
  explicit Admissions(Archive& archive)
      : archive_(archive) {}

  /// Nothing when the problem was not examined yet.
  std::optional<Weaknesses> stored(const std::string& problem_id);

  /// The stored answer, or a fresh one, on the problem's cheapest listed workload, that is then
  /// stored. A problem that cannot be examined is weak until it can be, and nothing is stored.
  /// @errors those of find_weaknesses, and of reading and writing the archive.
  Result<Weaknesses> get(Backend& backend, HostWorkers& hosts, const Problem& problem,
                         const std::stop_token& stop);

 private:
  Archive& archive_;
  std::mutex mutex_;
  std::map<std::string, Weaknesses> known_;  ///< guarded by mutex_
};

}  // namespace ws
