#include "runtime/exchange/solution.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/exchange/definition.h"
#include "runtime/exchange/own_field.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/kernel_form.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxSourceFiles = 64;
constexpr std::size_t kMaxSolutionWord = 256;

/// Files of a solution are put together to one text; no path is ever opened.
struct SolutionSources {
  std::string entry;                           ///< The text of the file with the entry.
  std::map<std::string, std::string> headers;  ///< All others, by their names as included.
};

Result<SolutionSources> sources_of(const JsonReader& solution, const std::string& entry_file) {
  WS_TRY(const JsonReader list, solution.require("sources"));
  WS_TRY(const std::vector<JsonReader> files, list.items(1, kMaxSourceFiles));
  SolutionSources sources;
  for (const JsonReader& file : files) {
    WS_TRY(const JsonReader path, file.require("path"));
    WS_TRY(const std::string name, path.text(kMaxSolutionWord));
    WS_TRY(const JsonReader content, file.require("content"));
    WS_TRY(const std::string text, content.text(kMaxSourceBytes));
    if (name.starts_with('/') || name.find("..") != std::string::npos) {
      return path.error("`" + quoted(name, 80) + "` leaves the solution's folder");
    }
    (name == entry_file ? sources.entry : sources.headers[name]) = text;
  }
  if (sources.entry.empty()) {
    return solution.error("no source is called `" + quoted(entry_file, 80) +
                          "`, where the entry point is");
  }
  return sources;
}

/// The arguments that the entry gets: inputs, then outputs where they are given to it.
std::vector<std::string> arguments_of(const Problem& problem, bool with_outputs) {
  std::vector<std::string> names;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role != Role::kOut) {
      names.push_back(arg.name);
    }
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kOut && with_outputs) {
      names.push_back(arg.name);
    }
  }
  return names;
}

Result<HostPlan> own_kernel(Json solution) {
  const Json own = solution[kOwnField];
  solution.erase(kOwnField);
  WS_TRY(ImportedForms forms, forms_of_own(own, solution, "the solution"));
  return HostPlan{.kernel = std::move(forms.kernel), .notes = {}};
}

Status check_language(const JsonReader& spec) {
  WS_TRY(const JsonReader field, spec.require("language"));
  WS_TRY(const std::string language, field.text(kMaxSolutionWord));
  if (language != "cuda" && language != "cpp") {
    return fail(ErrorCode::kUnsupported,
                "a solution in `" + quoted(language, 40) +
                    "` launches from Python, which is not read; of other programs only CUDA C++ is",
                "send its kernel with compile_kernel, with `launches`");
  }
  const Json dependencies = spec.json().value("dependencies", Json::array());
  if (!dependencies.empty()) {
    return fail(ErrorCode::kUnsupported, "the solution needs libraries: " + dependencies.dump());
  }
  return {};
}

}  // namespace

Result<HostPlan> kernel_of_solution(std::string_view text, const Problem& problem) {
  const Json json = Json::parse(text, nullptr, false);
  const JsonReader solution(json, "solution");
  if (json.is_object() && json.contains(kOwnField) && json[kOwnField].is_object()) {
    return own_kernel(json);
  }
  WS_TRY(const JsonReader spec, solution.require("spec"));
  WS_TRY(const JsonReader field, spec.require("entry_point"));
  WS_TRY(const std::string entry, field.text(kMaxSolutionWord));
  const std::size_t colons = entry.find("::");
  if (colons == std::string::npos) {
    return field.expected("FILE::FUNCTION");
  }
  WS_CHECK(check_language(spec));
  WS_TRY(const SolutionSources sources, sources_of(solution, entry.substr(0, colons)));
  WS_TRY(CppText code, CppText::read(sources.entry));
  Json headers = Json::object();
  for (const auto& [path, header] : sources.headers) {
    WS_TRY(CppText read, CppText::read(header));
    headers[path] = read.device_source();
    code.add_header(std::move(read));
  }
  const bool given = spec.json().value("destination_passing_style", Json(true)) != Json(false);
  const HostCall call = {.function = entry.substr(colons + 2),
                         .arguments = arguments_of(problem, given)};
  WS_TRY(HostPlan plan, plan_of_host_code(code, call, problem));
  WS_TRY(const JsonReader name, solution.require("name"));
  WS_TRY(const std::string words, name.text(kMaxSolutionWord));
  Json kernel = Json::parse(plan.kernel);
  kernel["name"] = words.substr(0, kMaxNameBytes);
  kernel["headers"] = headers;
  plan.kernel = kernel.dump();
  return plan;
}

}  // namespace ws
