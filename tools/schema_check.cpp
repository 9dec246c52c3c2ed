#include "tools/schema_check.h"

#include <exception>
#include <string>
#include <utility>

// Without it valijson ends the process where it would throw.
#define VALIJSON_USE_EXCEPTIONS 1  // NOLINT(readability-identifier-naming): valijson's name
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "tools/schema_explain.h"

namespace ws {

using Json = nlohmann::json;

struct SchemaCheck::Compiled {
  Json text;
  valijson::Schema schema;
};

namespace {

/// For the rare keyword that the explanation does not know: the deepest of valijson's findings.
std::string deepest_finding(valijson::ValidationResults& results) {
  valijson::ValidationResults::Error error;
  std::string place;
  std::string text = "the value does not meet the schema";
  std::size_t depth = 0;
  while (results.popError(error)) {
    if (error.context.size() <= depth) {
      continue;
    }
    depth = error.context.size();
    place.clear();
    for (const std::string& part : error.context) {
      place += part;
    }
    text = error.description;
  }
  return "`" + place + "`: " + text;
}

/// Marks a part that is shown to clients and not checked here: the tool reads it, with better
/// messages.
constexpr const char* kReadByTool = "Read by the tool.";

void leave_to_tool(Json& schema) {
  if (!schema.is_structured()) {
    return;
  }
  if (schema.is_object() && schema.value("$comment", Json()) == kReadByTool) {
    schema = {{"type", schema["type"]}, {kShownOnly, std::move(schema)}};
    return;
  }
  for (Json& part : schema) {
    leave_to_tool(part);
  }
}

}  // namespace

SchemaCheck::SchemaCheck(std::unique_ptr<Compiled> compiled)
    : compiled_(std::move(compiled)) {}

SchemaCheck::SchemaCheck(SchemaCheck&&) noexcept = default;
SchemaCheck& SchemaCheck::operator=(SchemaCheck&&) noexcept = default;
SchemaCheck::~SchemaCheck() = default;

Result<SchemaCheck> SchemaCheck::compile(const Json& schema) {
  auto compiled = std::make_unique<Compiled>();
  compiled->text = schema;
  leave_to_tool(compiled->text);
  try {  // valijson reports a bad schema by throwing.
    const valijson::adapters::NlohmannJsonAdapter adapter(compiled->text);
    valijson::SchemaParser().populateSchema(adapter, compiled->schema);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, "a schema does not compile", {}, error.what());
  }
  return SchemaCheck(std::move(compiled));
}

Status SchemaCheck::check(const Json& value) const {
  // First the explanation: it is quick, and it refuses long strings before valijson hands them to
  // std::regex, which recurses once a character.
  if (auto mismatch = explain_mismatch(compiled_->text, value)) {
    return fail(ErrorCode::kInvalidArgument, *std::move(mismatch));
  }
  try {
    valijson::ValidationResults results;
    const valijson::adapters::NlohmannJsonAdapter adapter(value);
    if (!valijson::Validator().validate(compiled_->schema, adapter, &results)) {
      return fail(ErrorCode::kInvalidArgument, deepest_finding(results));
    }
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInternal, "the schema check failed", {}, error.what());
  }
  return {};
}

}  // namespace ws
