#include <optional>

#include <nlohmann/json.hpp>

#include "runtime/exchange/host_code.h"
#include "runtime/exchange/imported.h"
#include "runtime/exchange/module_arguments.h"
#include "runtime/exchange/own_field.h"
#include "runtime/exchange/shallow_json.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/kernel_form.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// The problem's arguments of the call: inputs by their place, weights by their names in the
/// module.
Result<std::vector<std::string>> call_arguments(const Json& arguments, const Problem& problem) {
  const std::optional<ModuleArguments> known = module_arguments(problem);
  if (!known) {
    return fail(ErrorCode::kUnsupported,
                "the problem does not say which of its arguments are inputs and weights of the "
                "module");
  }
  std::vector<std::string> names;
  for (const Json& argument : arguments) {
    if (argument.contains("input")) {
      const auto place = argument["input"].get<std::size_t>();
      if (place >= known->inputs.size() || known->inputs[place].empty()) {
        return fail(ErrorCode::kUnsupported, "the call gives input " + std::to_string(place) +
                                                 ", which is no tensor of the problem");
      }
      names.push_back(known->inputs[place]);
      continue;
    }
    const std::string path = argument.value("weight", "");
    const auto weight = known->weights.find(path);
    if (weight == known->weights.end()) {
      return fail(ErrorCode::kUnsupported,
                  "the call gives `self." + path + "`, which is no weight of the module");
    }
    names.push_back(weight->second);
  }
  return names;
}

Result<ImportedForms> read_kernelbench(const std::string& problem, const std::string& text) {
  Json parts = Json::parse(text);
  if (parts.contains("own")) {
    WS_TRY(const Json own, parse_shallow(parts["own"].get<std::string>()));
    parts.erase("own");
    return forms_of_own(own, parts, "the solution");
  }
  if (problem.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the solution does not say its problem",
                "give the file with class Model beside it");
  }
  WS_TRY(const Problem read, parse_problem(problem));
  HostCall call = {.function = parts["function"], .arguments = {}};
  WS_TRY(call.arguments, call_arguments(parts["arguments"], read));
  const std::string cuda = parts["cuda_sources"];
  const std::string both = cuda + "\n" + parts["cpp_sources"].get<std::string>();
  WS_TRY(CppText code, CppText::read(cuda));
  if (code.function(call.function) == nullptr) {
    WS_TRY(code, CppText::read(both));
  }
  WS_TRY(HostPlan plan, plan_of_host_code(code, call, read));
  Json kernel = Json::parse(plan.kernel);
  kernel["name"] = call.function.substr(0, kMaxNameBytes);
  return ImportedForms{.problem = problem, .kernel = kernel.dump(), .notes = std::move(plan.notes)};
}

}  // namespace

Result<ImportedForms> import_kernelbench(const std::string& problem, const std::string& parts) {
  try {
    return read_kernelbench(problem, parts);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidArgument, "a field has the wrong type", {}, error.what());
  }
}

}  // namespace ws
