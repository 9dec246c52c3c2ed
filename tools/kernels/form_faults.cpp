#include "tools/kernels/form_faults.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/guide_files.h"
#include "tools/kernels/imported_problem.h"
#include "tools/schema_explain.h"

namespace ws {
namespace {

/// References between the two files become references within one.
void make_local(Json& schema) {
  constexpr std::string_view kOther = "kernel.schema.json";
  if (!schema.is_structured()) {
    return;
  }
  if (schema.is_object() && schema.contains("$ref")) {
    auto& target = schema["$ref"].get_ref<std::string&>();
    if (target.starts_with(kOther)) {
      target.erase(0, kOther.size());
    }
  }
  for (Json& part : schema) {
    make_local(part);
  }
}

Json parsed_schema(const char* file) {
  return Json::parse(guide_file(file), nullptr, false);
}

/// {"problem", "kernel"}: each with the definitions of both files.
Json both_schemas() {
  Json problem = parsed_schema("schemas/problem.schema.json");
  Json kernel = parsed_schema("schemas/kernel.schema.json");
  problem["definitions"].update(kernel["definitions"]);
  make_local(problem);
  return {{"problem", std::move(problem)}, {"kernel", std::move(kernel)}};
}

std::vector<SchemaFault> faults_of(const Json& arguments) {
  static const Json schemas = both_schemas();
  std::vector<SchemaFault> all;
  for (const char* part : {"problem", "kernel"}) {
    const auto form = arguments.find(part);
    // A module has no form yet that the schema could describe.
    if (form != arguments.end() && form->is_object() && !is_module(*form)) {
      for (SchemaFault& fault : schema_faults(schemas[part], *form, part)) {
        all.push_back(std::move(fault));
      }
    }
  }
  return all;
}

/// Whether the schema says the same, or more: which fields are missing or unknown.
bool says_more(const std::string& message) {
  return message.find(": unknown field `") != std::string::npos ||
         (message.find(": field `") != std::string::npos && message.ends_with("` is missing"));
}

}  // namespace

Error with_all_faults(Error first, const Json& arguments) {
  if (first.code != ErrorCode::kInvalidArgument) {
    return first;
  }
  std::vector<SchemaFault> faults = faults_of(arguments);
  if (faults.empty()) {
    return first;
  }
  if (!says_more(first.message)) {
    // The reader knows more of the one that it stopped at.
    const std::string path = first.message.substr(0, first.message.find(": "));
    std::erase_if(faults, [&](const SchemaFault& fault) { return fault.path.starts_with(path); });
    const std::string hint = first.hint.empty() ? "" : "; " + first.hint;
    faults.insert(faults.begin(), {path, first.message + hint});
  }
  if (faults.size() > 1 || says_more(first.message)) {
    first.message = faults_text(faults);
    first.hint.clear();
  }
  return first;
}

}  // namespace ws
