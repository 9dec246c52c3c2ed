// A list of conditions (`valid`, `constraints`), parsed once and tried on many choices.
#pragma once

#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/expr/expr.h"

namespace ws {

class Conditions {
 public:
  /// @param field  Its name in messages: "constraints[1]: expression ...".
  /// @errors kInvalidArgument: a syntax error.
  static Result<Conditions> parse(const std::vector<std::string>& texts, std::string field);

  /// The first condition that does not hold, as written; empty when all hold.
  /// @errors kInvalidArgument: one cannot be evaluated.
  [[nodiscard]] Result<std::string> broken(const Bindings& bindings) const;

 private:
  std::string field_;
  std::vector<Expr> exprs_;
};

}  // namespace ws
