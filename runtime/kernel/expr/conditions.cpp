#include "runtime/kernel/expr/conditions.h"

#include "runtime/kernel/form/json_reader.h"

namespace ws {
namespace {

std::string place(const std::string& field, std::size_t index) {
  return field + "[" + std::to_string(index) + "]";
}

}  // namespace

Result<Conditions> Conditions::parse(const std::vector<std::string>& texts, std::string field) {
  Conditions conditions;
  conditions.field_ = std::move(field);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Result<Expr> expr = parse_expr(texts[i]);
    if (!expr) {
      return at_path(place(conditions.field_, i), expr.error());
    }
    conditions.exprs_.push_back(*std::move(expr));
  }
  return conditions;
}

Result<std::string> Conditions::broken(const Bindings& bindings) const {
  for (std::size_t i = 0; i < exprs_.size(); ++i) {
    const Result<std::int64_t> value = exprs_[i].eval(bindings);
    if (!value) {
      return at_path(place(field_, i), value.error());
    }
    if (*value == 0) {
      return exprs_[i].text();
    }
  }
  return std::string();
}

}  // namespace ws
