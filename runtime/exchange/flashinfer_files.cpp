#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/exchange/definition.h"
#include "runtime/exchange/imported.h"
#include "runtime/exchange/shallow_json.h"
#include "runtime/exchange/solution.h"
#include "runtime/kernel/form/forms.h"

namespace ws {
namespace {

using Json = nlohmann::json;

/// The objects of the files, by what they are.
class FlashinferFiles {
 public:
  Status add(const std::string& text) {
    WS_TRY(const Json whole, parse_shallow(text));
    if (whole.is_object()) {
      return add_object(whole, text);
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (!line.empty()) {
        WS_TRY(const Json object, parse_shallow(line));
        WS_CHECK(add_object(object, line));
      }
    }
    return {};
  }

  /// The workloads of the definition, and those that the user's sizes make.
  [[nodiscard]] std::vector<Json> workloads(const std::string& name, const AxisSizes& sizes) const {
    std::vector<Json> all;
    for (const Json& trace : traces_) {
      if (trace["definition"] == name) {
        all.push_back(trace["workload"]);
      }
    }
    std::vector<Json> made = {Json{{"axes", Json::object()}}};
    for (const auto& [axis, values] : sizes) {
      std::vector<Json> more;
      for (const Json& workload : made) {
        for (const std::int64_t value : values) {
          more.push_back(workload);
          more.back()["axes"][axis] = value;
        }
      }
      made = std::move(more);
    }
    if (!sizes.empty()) {
      all.insert(all.end(), made.begin(), made.end());
    }
    return all;
  }

  std::string definition;
  std::string solution;

 private:
  Status add_object(const Json& object, const std::string& text) {
    const auto take = [&text](std::string& place, const char* what) -> Status {
      if (!place.empty()) {
        return fail(ErrorCode::kInvalidArgument,
                    std::string("the files have two ") + what + "s, and an import takes one");
      }
      place = text;
      return {};
    };
    const bool whole = object.is_object();
    if (whole && object.contains("axes") && object.contains("reference")) {
      return take(definition, "definition");
    }
    if (whole && object.contains("definition") && object.contains("sources")) {
      return take(solution, "solution");
    }
    if (whole && object.contains("definition") && object.contains("workload")) {
      traces_.push_back(object);
      return {};
    }
    return fail(ErrorCode::kInvalidArgument,
                "neither a definition nor a solution nor a trace of FlashInfer-Bench");
  }

  std::vector<Json> traces_;
};

Result<std::string> imported_problem(const FlashinferFiles& files, const AxisSizes& sizes) {
  const Json definition = Json::parse(files.definition);
  if (definition.contains(kOwnField)) {
    WS_TRY(const Problem problem, problem_of_export(files.definition));
    return problem.json;
  }
  const Json name = definition.value("name", Json());
  WS_TRY(const Json form,
         problem_of_definition(files.definition,
                               files.workloads(name.is_string() ? name : Json(""), sizes)));
  return form.dump();
}

Result<ImportedForms> read_flashinfer(const std::vector<std::string>& texts,
                                      const AxisSizes& sizes) {
  FlashinferFiles files;
  for (const std::string& text : texts) {
    WS_CHECK(files.add(text));
  }
  if (files.definition.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the files have no definition",
                "give the definition's file first, then that of a solution");
  }
  ImportedForms forms;
  WS_TRY(forms.problem, imported_problem(files, sizes));
  if (files.solution.empty()) {
    return forms;
  }
  const Json wanted = Json::parse(files.solution)["definition"];
  if (wanted != Json::parse(files.definition).value("name", Json())) {
    return fail(ErrorCode::kInvalidArgument,
                "the solution is one of the definition " + wanted.dump() + ", not of this one");
  }
  WS_TRY(const Problem problem, parse_problem(forms.problem));
  WS_TRY(HostPlan plan, kernel_of_solution(files.solution, problem));
  forms.kernel = std::move(plan.kernel);
  forms.notes = std::move(plan.notes);
  return forms;
}

}  // namespace

Result<ImportedForms> import_flashinfer(const std::vector<std::string>& texts,
                                        const AxisSizes& sizes) {
  try {
    return read_flashinfer(texts, sizes);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidArgument, "a field has the wrong type", {}, error.what());
  }
}

}  // namespace ws
