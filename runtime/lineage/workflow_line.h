// The history of a kernel: its ancestors, the changes that made them, and their measured times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/store/line_store.h"
#include "runtime/base/verdict.h"

namespace ws {

/// The two sides of one folder's archive.
struct LineArchives {
  Archive& archive;
  LineStore& lines;
};

/// The speed of a kernel in benchmarks on one device. If there are several the newest counts.
struct LineSpeed {
  std::optional<double> us;        ///< Median of the first workload, in microseconds.
  std::optional<double> total;     ///< Speed-up against the first kernel.
  std::optional<double> step;      ///< Against the step before; nothing where it was not timed.
  bool worked_out = false;         ///< `step` is a quotient of totals, not a measurement.
  std::optional<Verdict> verdict;  ///< The newest benchmark's; kSuspect, too.
};

struct LineKernel {
  KernelRow row;
  std::vector<PassTry> passes;  ///< The passes that made it, then those that were skipped on it.
  LineSpeed speed;

  /// "tb-tiling, pass 2 of 6", "edit", "first kernel".
  [[nodiscard]] std::string made_by() const;
};

/// The kernel and its ancestors, the first one first. Of more than 1000 the nearest.
/// @param device  As evidence is kept under. @errors kNotFound.
Result<std::vector<LineKernel>> line_of(const LineArchives& archives, const std::string& id_or_ref,
                                        const std::string& device);

/// One more kernel at the end of a line that it descends from.
/// @param line  Its ancestors, which are looked at for the baselines of its benchmarks.
Result<LineKernel> line_kernel(const LineArchives& archives, const KernelRow& row,
                               const std::vector<LineKernel>& line, const std::string& device);

}  // namespace ws
