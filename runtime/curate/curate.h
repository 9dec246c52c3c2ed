// A folder of problems made into a set to train or to measure on: each with its difficulty, without
// near-duplicates and what runs too short or too long, and with weights that balance operations.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/curate/difficulty.h"
#include "runtime/kernel/problem.h"

namespace ws {

struct ProblemFile {
  std::string path;  ///< From the folder on.
  Problem problem;
};

/// A file or a problem that is left out.
struct LeftOut {
  std::string path;
  std::string reason;
};

struct ProblemFolder {
  std::vector<ProblemFile> problems;  ///< In the order of their paths.
  std::vector<LeftOut> refused;       ///< Files that look like a problem but are not valid.
};

/// Reads every *.json below `folder` that is an object with `args`. Symbolic links are not
/// followed.
/// @errors kIo: the folder cannot be read; kInvalidArgument: over 10,000 such files.
Result<ProblemFolder> read_problem_folder(const std::string& folder);

struct CurateOptions {
  std::optional<double>
      least_us;  ///< Problems that take less are left out, and those that were never timed.
  std::optional<double> most_us;
};

struct CuratedProblem {
  std::string path;
  std::string id;
  std::string name;
  std::string op;  ///< The problem's name where it says no operation.
  Difficulty difficulty;
  std::optional<int> declared;       ///< The problem's own word.
  std::optional<double> runtime_us;  ///< The time of the reference, where it is known.
  std::size_t cluster = 0;           ///< How many are left of its operation.
  double weight = 0;                 ///< 1 / ln(cluster + 1)
  double share = 0;                  ///< The share of the sum of all weights.
};

struct Curation {
  std::vector<CuratedProblem> kept;
  std::vector<LeftOut> left_out;  ///< In the order in which it was found out.
};

/// The time of a problem's reference in microseconds; nothing where nobody knows.
using RuntimeOf = std::function<Result<std::optional<double>>(const std::string& problem_id)>;

/// Two problems are near-duplicates when operation and argument types are equal, and the code of
/// their references is to 0.9; the first stays. @errors Those of `runtime`.
Result<Curation> curate(const ProblemFolder& folder, const CurateOptions& options,
                        const RuntimeOf& runtime);

}  // namespace ws
