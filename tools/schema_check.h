// JSON Schema checks of tool arguments and results, with texts that an agent can act on.
#pragma once

#include <memory>

#include <nlohmann/json.hpp>

#include "runtime/base/result.h"

namespace ws {

/// One compiled schema (valijson; draft 7 keywords, local `$ref` only). Immutable.
class SchemaCheck {
 public:
  /// @errors kInternal: `schema` is not a JSON Schema; schemas are ours, so it is our mistake.
  static Result<SchemaCheck> compile(const nlohmann::json& schema);

  SchemaCheck(SchemaCheck&&) noexcept;
  SchemaCheck& operator=(SchemaCheck&&) noexcept;
  SchemaCheck(const SchemaCheck&) = delete;
  SchemaCheck& operator=(const SchemaCheck&) = delete;
  ~SchemaCheck();

  /// @errors kInvalidArgument: names the field, what was expected and what came.
  /// @threads Any.
  [[nodiscard]] Status check(const nlohmann::json& value) const;

 private:
  struct Compiled;
  explicit SchemaCheck(std::unique_ptr<Compiled> compiled);

  std::unique_ptr<Compiled> compiled_;
};

}  // namespace ws
