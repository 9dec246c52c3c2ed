#include "tools/tune/question.h"

namespace ws {
namespace {

constexpr double kMsPerBudgetS = 1000;

}  // namespace

void from_json(const Json& arguments, TuneParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.workloads = arguments.value("workloads", Json::array());
  params.budget_s = arguments.value("budget_s", params.budget_s);
  if (const auto budget_ms = arguments.find("time_budget_ms"); budget_ms != arguments.end()) {
    params.budget_s = budget_ms->get<double>() / kMsPerBudgetS;
  }
  if (arguments.contains("max_evaluations")) {
    params.max_evaluations = arguments["max_evaluations"].get<std::size_t>();
  }
  params.strategy = arguments.value("strategy", params.strategy);
  params.objective = arguments.value("objective", params.objective);
}

std::string TuneQuestion::key(const std::string& on) const {
  return Json{{"kernel", subject.kernel.id},
              {"device", on},
              {"workloads", asked.workloads},
              {"budget_s", asked.budget_s},
              {"max_evaluations", asked.max_evaluations ? Json(*asked.max_evaluations) : Json()},
              {"strategy", asked.strategy},
              {"objective", asked.objective}}
      .dump();
}

}  // namespace ws
