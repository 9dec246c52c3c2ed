#include "runtime/curate/curate.h"

#include <cmath>
#include <map>
#include <utility>

#include "runtime/kernel/kernel.h"
#include "runtime/search/fingerprint.h"

namespace ws {
namespace {

constexpr double kDuplicate = 0.9;

struct Code {
  const ProblemFile* file = nullptr;
  std::vector<std::uint64_t> runs;
};

std::string op_of(const Problem& problem) {
  return problem.op.empty() ? problem.name : problem.op;
}

/// The key that near-duplicates have in common: operation, then role and type of each argument.
std::string group_of(const Problem& problem) {
  std::string group = op_of(problem);
  for (const ArgSpec& arg : problem.args) {
    group += " " + std::to_string(static_cast<int>(arg.role)) + std::string(name_of(arg.type));
  }
  return group;
}

std::vector<std::uint64_t> runs_of(const Problem& problem) {
  const Kernel* const reference = problem.reference.get();
  return token_runs(reference != nullptr ? reference->macros + reference->source
                                         : problem.reference_source);
}

std::string number_text(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

/// Why a problem is left out by its time; empty where it stays.
std::string wrong_time(const std::optional<double>& us, const CurateOptions& options) {
  if (!options.least_us && !options.most_us) {
    return {};
  }
  if (!us) {
    return "was never timed here: benchmark a kernel of it against `reference`";
  }
  if (options.least_us && *us < *options.least_us) {
    return "takes " + number_text(*us) + " us, less than " + number_text(*options.least_us);
  }
  if (options.most_us && *us > *options.most_us) {
    return "takes " + number_text(*us) + " us, more than " + number_text(*options.most_us);
  }
  return {};
}

/// The codes that stay, by group.
class Duplicates {
 public:
  /// The path of a near-duplicate that stays; empty: there is none, and this one stays.
  std::string find_or_keep(const ProblemFile& file) {
    std::vector<Code>& group = groups_[group_of(file.problem)];
    std::vector<std::uint64_t> runs = runs_of(file.problem);
    for (const Code& other : group) {
      if (jaccard(runs, other.runs) >= kDuplicate) {
        return other.file->path;
      }
    }
    group.push_back({&file, std::move(runs)});
    return {};
  }

 private:
  std::map<std::string, std::vector<Code>> groups_;
};

void balance(std::vector<CuratedProblem>& kept) {
  std::map<std::string, std::size_t> clusters;
  for (const CuratedProblem& problem : kept) {
    ++clusters[problem.op];
  }
  double sum = 0;
  for (CuratedProblem& problem : kept) {
    problem.cluster = clusters[problem.op];
    problem.weight = 1 / std::log(static_cast<double>(problem.cluster) + 1);
    sum += problem.weight;
  }
  for (CuratedProblem& problem : kept) {
    problem.share = problem.weight / sum;
  }
}

}  // namespace

Result<Curation> curate(const ProblemFolder& folder, const CurateOptions& options,
                        const RuntimeOf& runtime) {
  Curation curation;
  curation.left_out = folder.refused;
  Duplicates duplicates;
  for (const ProblemFile& file : folder.problems) {
    const Problem& problem = file.problem;
    Result<Difficulty> difficulty = difficulty_of(problem);
    if (!difficulty) {
      curation.left_out.push_back({file.path, to_text(difficulty.error())});
      continue;
    }
    WS_TRY(const std::optional<double> us, runtime(problem.id));
    std::string reason = wrong_time(us, options);
    if (reason.empty()) {
      const std::string twin = duplicates.find_or_keep(file);
      reason = twin.empty() ? "" : "is a near-duplicate of " + twin;
    }
    if (!reason.empty()) {
      curation.left_out.push_back({file.path, reason});
      continue;
    }
    curation.kept.push_back({.path = file.path,
                             .id = problem.id,
                             .name = problem.name,
                             .op = op_of(problem),
                             .difficulty = *std::move(difficulty),
                             .declared = problem.difficulty,
                             .runtime_us = us,
                             .cluster = 0,
                             .weight = 0,
                             .share = 0});
  }
  balance(curation.kept);
  return curation;
}

}  // namespace ws
