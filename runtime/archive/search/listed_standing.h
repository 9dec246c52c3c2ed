// How a kernel stands on a device, with what its evidence says of its speed or its failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/archive/store/sqlite.h"
#include "runtime/base/verdict.h"

namespace ws {

/// A benchmark's speed-up, and what it is worth.
struct ListedSpeed {
  double least = 0;     ///< The lower end of the ratio's interval, by which kernels rank.
  std::string against;  ///< The baseline: "reference" or a kernel id.
  // As the evidence has them.
  std::optional<double> ratio{};
  std::optional<double> low{};
  std::optional<double> high{};
  std::optional<double> noise_floor{};
  std::optional<Verdict> verdict{};
  /// Against the reference: `least`, or the product of it and of its baseline's; nothing where the
  /// baselines do not lead to the reference.
  std::optional<double> total{};
};

/// The conclusion from a kernel's evidence on one device.
struct ListedStanding {
  std::string device;  ///< As evidence is kept under.
  bool passed = false;
  Verdict verdict = Verdict::kSuspect;
  std::string evidence_id;  ///< The evidence that decided it.
  std::int64_t at_ms = 0;   ///< Milliseconds since the epoch.
  std::string message;      ///< Why it did not pass; empty: it did, or nothing is said.
  std::optional<ListedSpeed> speed;
};

namespace store {

/// The columns that read_standing() reads, of a table `s` of standings.
inline constexpr const char* kStandingColumns =
    "s.device, s.state, s.verdict, s.evidence_id, s.at_ms, s.ratio, s.against";

/// @param first  The first of those columns in the row.
ListedStanding read_standing(const Statement& row, int first);

/// A standing that follows from evidence, or has a baseline, which the viewer does not see
/// (visible.h), worked out again from what it sees; nothing where that does not judge the kernel.
Result<std::optional<ListedStanding>> seen_standing(Connection& connection,
                                                    const std::string& kernel_id,
                                                    ListedStanding standing);

/// Adds what stands in the evidence, and the speed-up against the reference. @errors kIo.
Status add_evidence_facts(Connection& connection, ListedStanding& standing);

/// How a kernel stands on each device, with those facts; nothing where it was never judged.
/// @errors kIo.
Result<std::vector<ListedStanding>> whole_standings(Connection& connection,
                                                    const std::string& kernel_id);

}  // namespace store
}  // namespace ws
