#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "runtime/archive/store/archive.h"
#include "runtime/curate/curate.h"
#include "server/cli/commands.h"
#include "server/cli/required_archive.h"
#include "server/protocol/protocol.h"
#include "server/text_format.h"

namespace ws::server {
namespace {

/// The longest of the workloads' medians in a benchmark against the reference.
std::optional<double> reference_us(const EvidenceRow& benchmark) {
  const Json record = Json::parse(benchmark.json, nullptr, false);
  const Json output = record.is_object() ? record.value("output", Json::object()) : Json::object();
  std::optional<double> longest;
  for (const Json& row : output.value("workloads", Json::array())) {
    if (row.contains("baseline_median_us") && row["baseline_median_us"].is_number()) {
      longest = std::max(longest.value_or(0), row["baseline_median_us"].get<double>());
    }
  }
  return longest;
}

Result<Curation> curated(const ProblemsOptions& options) {
  WS_TRY(const ProblemFolder folder, read_problem_folder(options.folder));
  std::unique_ptr<Archive> archive;  // None is one that knows no times.
  if (has_archive(options.place)) {
    WS_TRY(archive, Archive::open(options.place));
  }
  const auto runtime = [&](const std::string& id) -> Result<std::optional<double>> {
    if (!archive) {
      return std::optional<double>();
    }
    WS_TRY(const auto benchmark, archive->reference_benchmark(id));
    return benchmark ? reference_us(*benchmark) : std::nullopt;
  };
  return curate(folder, {options.least_us, options.most_us}, runtime);
}

OrderedJson json_of(const Curation& curation) {
  OrderedJson problems = OrderedJson::array();
  for (const CuratedProblem& problem : curation.kept) {
    problems.push_back(
        {{"path", problem.path},
         {"problem_id", problem.id},
         {"name", problem.name},
         {"op", problem.op},
         {"difficulty", problem.difficulty.level},
         {"why", problem.difficulty.why},
         {"declared", problem.declared ? OrderedJson(*problem.declared) : OrderedJson(nullptr)},
         {"runtime_us",
          problem.runtime_us ? OrderedJson(*problem.runtime_us) : OrderedJson(nullptr)},
         {"cluster", problem.cluster},
         {"weight", problem.weight},
         {"share", problem.share}});
  }
  OrderedJson left_out = OrderedJson::array();
  for (const LeftOut& row : curation.left_out) {
    left_out.push_back({{"path", row.path}, {"reason", row.reason}});
  }
  return {{"problems", std::move(problems)}, {"left_out", std::move(left_out)}};
}

std::string text_of(const Curation& curation) {
  constexpr std::size_t kPathWidth = 40;
  constexpr std::size_t kNumberWidth = 8;
  std::string text = padded("problem", kPathWidth) + padded("level", kNumberWidth) +
                     padded("us", kNumberWidth + 4) + padded("weight", kNumberWidth) + "why\n";
  for (const CuratedProblem& problem : curation.kept) {
    const int level = problem.difficulty.level;
    text += padded(problem.path, kPathWidth) + padded(std::to_string(level), kNumberWidth) +
            padded(problem.runtime_us ? decimal(*problem.runtime_us, 1) : "-", kNumberWidth + 4) +
            padded(decimal(problem.weight, 2), kNumberWidth) + problem.difficulty.why +
            (problem.declared && *problem.declared != level
                 ? " (declared " + std::to_string(*problem.declared) + ")"
                 : "") +
            "\n";
  }
  for (const LeftOut& row : curation.left_out) {
    text += "left out: " + row.path + ": " + row.reason + "\n";
  }
  return text;
}

}  // namespace

int problems_command(const ProblemsOptions& options) {
  const Result<Curation> curation = curated(options);
  if (!curation) {
    std::fputs((to_text(curation.error()) + "\n").c_str(), stderr);
    return kExitFailed;
  }
  const std::string text = options.json ? to_line(json_of(*curation)) + "\n" : text_of(*curation);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace ws::server
