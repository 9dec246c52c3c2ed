// One point of a search space on a device: built for all workloads, and raced against the best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/subject.h"
#include "runtime/tune/evaluation_backend.h"
#include "runtime/tune/race.h"

namespace ws {

/// The subject of the tuning; the same for all points.
struct TuneTarget {
  Subject subject;
  std::vector<Workload> timed;  ///< At least one; every point holds on them.
  std::uint64_t secret = 0;     ///< The seed of the inputs.
};

struct BuiltPoint {
  tune::Fate fate = tune::Fate::kGood;
  Verdict verdict = Verdict::kCompiled;  ///< Any other verdict for a point that is not kGood.
  std::string message;
  tune::Features features;
  std::vector<Compiled> compiled;  ///< kGood: one for each workload.
};

/// Compiles a point. An error of the point is a verdict, and so is an expression of its plan that
/// fails. @errors those of Backend::compile. Any thread.
Result<BuiltPoint> build_point(Backend& backend, const TuneTarget& target, const Params& params,
                               const std::stop_token& stop);

/// A validation's verdict about a point.
struct PointVerdict {
  Verdict verdict = Verdict::kPassed;
  std::string message;  ///< Why it is not kPassed.
};

struct RacedPoint {
  tune::RaceResult race;
  std::optional<Verdict> verdict;  ///< Why the race means nothing; nothing when it does.
  std::string message;
};

/// Times a point, all workloads for each sample, which is their geometric mean.
/// @param best  The best's samples; empty: no best yet. @errors kCancelled; those of filling inputs
/// and Session.
/// @threads        The device's lane.
Result<RacedPoint> race_point(Backend& backend, const TuneTarget& target, const BuiltPoint& point,
                              const std::vector<double>& best, const std::stop_token& stop);

}  // namespace ws
