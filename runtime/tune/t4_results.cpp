#include "runtime/tune/t4_results.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/units.h"

namespace ws::tune {
namespace {

using OrderedResults = nlohmann::ordered_json;

/// The schema's word for the way in which a point ended.
const char* validity_word(const Evaluation& evaluation) {
  if (evaluation.fate == Fate::kGood) {
    return "correct";
  }
  if (evaluation.fate == Fate::kPruned) {
    return "constraints";
  }
  switch (evaluation.verdict) {
    case Verdict::kCompileError:
      return "compile";
    case Verdict::kTimeout:
      return "timeout";
    case Verdict::kRuntimeError:
    case Verdict::kLaunchError:
    case Verdict::kDeadlock:
      return "runtime";
    default:
      return facts_of(evaluation.verdict).proves_wrong ? "correctness" : "runtime";
  }
}

OrderedResults result_of(const Evaluation& evaluation, const std::vector<Axis>& axes) {
  OrderedResults configuration = OrderedResults::object();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    configuration[axes[i].name] = axes[i].values[evaluation.point[i]];
  }
  OrderedResults runtimes = OrderedResults::array();
  for (const double us : evaluation.samples) {
    runtimes.push_back(us / kUsPerMs);
  }
  OrderedResults measurements = OrderedResults::array();
  if (evaluation.fate == Fate::kGood) {
    measurements.push_back({{"name", "time"}, {"value", evaluation.us / kUsPerMs}, {"unit", "ms"}});
  }
  return {{"timestamp", evaluation.at},
          {"configuration", configuration},
          {"times",
           {{"compilation", evaluation.build_s * kMsPerS},
            {"benchmark", evaluation.trial_s * kMsPerS},
            {"framework", 0},
            {"search_algorithm", 0},
            {"validation", 0},
            {"runtimes", runtimes}}},
          {"invalidity", validity_word(evaluation)},
          {"correctness", evaluation.fate == Fate::kGood ? 1 : 0},
          {"measurements", measurements},
          {"objectives", {"time"}}};
}

}  // namespace

Result<std::optional<JournalFile>> longest_journal(const std::filesystem::path& data_dir,
                                                   const std::string& kernel_id,
                                                   const std::string& device) {
  WS_TRY(std::vector<JournalFile> journals, read_journals(data_dir / kJournalFolder, kernel_id));
  std::erase_if(journals, [&](const JournalFile& journal) {
    return !device.empty() && journal.key.device != device;
  });
  const auto most = std::ranges::max_element(
      journals, {}, [](const JournalFile& journal) { return journal.evaluations.size(); });
  return most == journals.end() ? std::nullopt : std::optional(std::move(*most));
}

std::string t4_results(const JournalFile& journal) {
  OrderedResults results = OrderedResults::array();
  for (const Evaluation& evaluation : journal.evaluations) {
    results.push_back(result_of(evaluation, journal.key.axes));
  }
  const OrderedResults file = {{"results", results},
                               {"schema_version", "1.0.0"},
                               {"metadata", {{"timeunit", "milliseconds"}}}};
  return file.dump(1, ' ', false, OrderedResults::error_handler_t::replace);
}

}  // namespace ws::tune
