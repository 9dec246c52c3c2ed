// FlashInfer-Bench: a definition is a problem once a workload gives its variable axes their sizes;
// a trace is a claim about a kernel that is here.
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/archive/transfer/line_reader.h"
#include "runtime/exchange/definition.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxName = 160;
constexpr std::size_t kMaxDefinitions = 1000;  // The definitions that may wait for a workload,
constexpr std::size_t kMaxDefinitionBytes = std::size_t{64} << 20U;  // and their texts.

Result<std::string> name_field(const Json& line, const char* key) {
  WS_TRY(const JsonReader field, JsonReader(line, "line").require(key));
  return field.text(kMaxName);
}

}  // namespace

LineReader::Rows LineReader::definition(const Json& line, std::string_view text) {
  WS_TRY(const std::string name, name_field(line, "name"));
  if (!line["axes"].is_object()) {
    return JsonReader(line["axes"], "line.axes").expected("an object");
  }
  bool sized = true;
  for (const Json& axis : line["axes"]) {
    sized = sized && axis.is_object() && axis.value("type", Json()) == "const";
  }
  if (!sized) {
    const std::size_t before = definitions_[name].size();
    if (definitions_.size() > kMaxDefinitions ||
        definition_bytes_ - before + text.size() > kMaxDefinitionBytes) {
      forget(name);
      return fail(ErrorCode::kUnsupported, "too many definitions wait for a workload");
    }
    definition_bytes_ += text.size() - before;
    definitions_[name] = text;
    return std::vector<ArchiveItem>();
  }
  WS_TRY(const Json form, problem_of_definition(text, {}));
  WS_TRY(last_, problem_from_json(form));
  ArchiveItem item;
  item.kind = ArchiveItem::Kind::kProblem;
  item.problem = {last_.id, last_.name, last_.json, {}};
  return std::vector<ArchiveItem>{std::move(item)};
}

std::string LineReader::forget(const std::string& name) {
  const auto waiting = definitions_.extract(name);
  if (!waiting) {
    return {};
  }
  definition_bytes_ -= waiting.mapped().size();
  return std::move(waiting.mapped());
}

std::vector<std::string> LineReader::waiting() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : definitions_) {
    names.push_back(name);
  }
  return names;
}

LineReader::Rows LineReader::trace(const Json& line) {
  WS_TRY(const std::string name, name_field(line, "definition"));
  if (!line["workload"].is_object()) {
    return JsonReader(line["workload"], "line.workload").expected("an object");
  }
  WS_CHECK(check_workload_inputs(line["workload"]));
  std::vector<ArchiveItem> items;
  if (const std::string text = forget(name); !text.empty()) {
    WS_TRY(const Json form, problem_of_definition(text, {line["workload"]}));
    WS_TRY(last_, problem_from_json(form));
    items.emplace_back().problem = {last_.id, last_.name, last_.json, {}};
  }
  const Json evaluation = line.value("evaluation", Json());
  if (!evaluation.is_object()) {
    return items;  // Only a workload.
  }
  WS_TRY(const std::string solution, name_field(line, "solution"));
  const Result<KernelRow> kernel = archive_.kernel(solution);
  if (!kernel) {
    if (items.empty()) {
      return fail(ErrorCode::kNotFound, "solution `" + solution + "` is no kernel of this archive");
    }
    return items;
  }
  const Json environment = evaluation.value("environment", Json());
  const std::string device = environment.is_object() ? environment.value("hardware", "") : "";
  items.push_back(claim_item(kernel->id, "benchmark", device.substr(0, kMaxName), line));
  return items;
}

}  // namespace ws
