#include "runtime/lineage/workflow_line.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxLine = 1000;
constexpr int kMaxBenchmarks = 16;  // The benchmarks that are read for one kernel.

/// The newest ratio against each baseline, and the newest time.
struct Ratios {
  std::map<std::string, double> against;
  std::optional<double> us;
  std::optional<Verdict> verdict;
};

Result<Ratios> ratios_of(LineStore& lines, const std::string& kernel_id,
                         const std::string& device) {
  Ratios ratios;
  WS_TRY(const std::vector<EvidenceRow> rows,
         lines.newest_evidence(kernel_id, device, "benchmark", kMaxBenchmarks));
  for (const EvidenceRow& row : rows) {
    if (&row == &rows.front()) {
      ratios.verdict = row.verdict;
    }
    if (row.verdict == Verdict::kSuspect) {
      break;  // The benchmarks before it measured a kernel that may have cheated.
    }
    const Json record = Json::parse(row.json, nullptr, false);
    const Json output =
        record.is_object() ? record.value("output", Json::object()) : Json::object();
    const Json times = output.value("workloads", Json::array());
    if (!ratios.us && !times.empty()) {
      ratios.us = times[0].value("median_us", 0.0);
    }
    if (output.contains("ratio") && output["ratio"].is_number()) {
      ratios.against.emplace(output.value("baseline", ""), output["ratio"].get<double>());
    }
  }
  return ratios;
}

std::optional<double> ratio_against(const Ratios& ratios, const std::string& kernel_id) {
  const auto found = ratios.against.find(kernel_id);
  return found == ratios.against.end() ? std::nullopt : std::optional<double>(found->second);
}

/// The transformation that made the kernel; empty: an edit, or it is the first.
std::string transformation_of(const LineKernel& kernel) {
  const auto made =
      std::find_if(kernel.passes.begin(), kernel.passes.end(),
                   [](const PassTry& done) { return done.verdict == Verdict::kPassed; });
  return made == kernel.passes.end() ? std::string() : made->transformation;
}

/// Whether `kernel` and those after `before` are one step: passes of one transformation. Otherwise
/// its speed-up would be credited with what others did.
template <typename Iterator>
bool is_one_step(const LineKernel& kernel, Iterator newest, Iterator before) {
  const std::string own = transformation_of(kernel);
  return std::all_of(newest, before, [&own](const LineKernel& between) {
    return !own.empty() && transformation_of(between) == own;
  });
}

/// @param kernel  With its passes.
/// @param line    The ancestors.
LineSpeed speed_of(const Ratios& ratios, const LineKernel& kernel,
                   const std::vector<LineKernel>& line) {
  LineSpeed speed;
  speed.us = ratios.us;
  speed.verdict = ratios.verdict;
  if (line.empty() || ratios.verdict == Verdict::kSuspect) {
    return speed;
  }
  speed.total = ratio_against(ratios, line.front().row.id);
  speed.step = ratio_against(ratios, line.back().row.id);
  const auto before = std::find_if(line.rbegin(), line.rend() - 1, [](const LineKernel& timed) {
    return timed.speed.total.has_value();
  });
  if (speed.step || !is_one_step(kernel, line.rbegin(), before)) {
    return speed;
  }
  if (before == line.rend() - 1) {  // The first kernel was timed as the baseline.
    speed.step = speed.total;
    return speed;
  }
  speed.step = ratio_against(ratios, before->row.id);
  if (!speed.step && speed.total && *before->speed.total > 0) {
    speed.step = *speed.total / *before->speed.total;
    speed.worked_out = true;
  }
  return speed;
}

/// @param history  The passes of the kernel and of its ancestors.
Result<LineKernel> with_facts(LineStore& lines, const KernelRow& row,
                              const std::vector<PassTry>& history,
                              const std::vector<LineKernel>& line, const std::string& device) {
  LineKernel kernel;
  kernel.row = row;
  std::copy_if(history.begin(), history.end(), std::back_inserter(kernel.passes),
               [&](const PassTry& done) { return done.kernel_id == row.id; });
  WS_TRY(const Ratios ratios, ratios_of(lines, row.id, device));
  kernel.speed = speed_of(ratios, kernel, line);
  return kernel;
}

}  // namespace

std::string LineKernel::made_by() const {
  for (const PassTry& done : passes) {
    if (done.verdict == Verdict::kPassed) {
      return done.transformation + ", pass " + std::to_string(done.pass) + " of " +
             std::to_string(done.passes);
    }
  }
  return row.parent.empty() ? "first kernel" : "edit";
}

Result<LineKernel> line_kernel(const LineArchives& archives, const KernelRow& row,
                               const std::vector<LineKernel>& line, const std::string& device) {
  WS_TRY(const std::vector<PassTry> history, archives.archive.pass_history(row.id));
  return with_facts(archives.lines, row, history, line, device);
}

Result<std::vector<LineKernel>> line_of(const LineArchives& archives, const std::string& id_or_ref,
                                        const std::string& device) {
  Archive& archive = archives.archive;
  WS_TRY(KernelRow row, archive.kernel(id_or_ref));
  std::vector<KernelRow> rows = {row};
  while (!row.parent.empty() && rows.size() < kMaxLine) {
    WS_TRY(row, archive.kernel(row.parent));
    rows.push_back(row);
  }
  WS_TRY(const std::vector<PassTry> history, archive.pass_history(rows.front().id));
  std::vector<LineKernel> line;
  for (auto next = rows.rbegin(); next != rows.rend(); ++next) {
    WS_TRY(LineKernel kernel, with_facts(archives.lines, *next, history, line, device));
    line.push_back(std::move(kernel));
  }
  return line;
}

}  // namespace ws
