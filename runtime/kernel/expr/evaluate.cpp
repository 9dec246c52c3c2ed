#include "runtime/kernel/expr/evaluate.h"

#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/form/json_reader.h"

namespace ws {

std::string item(const std::string& field, std::size_t index) {
  return field + "[" + std::to_string(index) + "]";
}

tl::unexpected<Error> bad(const std::string& path, const std::string& message, std::string hint) {
  return fail(ErrorCode::kInvalidArgument, path + ": " + message, std::move(hint));
}

Result<std::int64_t> evaluate(const std::string& text, const Bindings& names,
                              const std::string& path) {
  Result<std::int64_t> value = eval_expr(text, names);
  return value ? value : Result<std::int64_t>(at_path(path, value.error()));
}

Result<std::int64_t> evaluate_size(const std::string& text, const Bindings& names,
                                   const std::string& path, std::int64_t least) {
  WS_TRY(const std::int64_t value, evaluate(text, names, path));
  if (value < least) {
    return bad(path, "`" + text + "` is " + std::to_string(value) + ", expected at least " +
                         std::to_string(least));
  }
  return value;
}

Result<std::vector<std::int64_t>> evaluate_sizes(const std::vector<std::string>& texts,
                                                 const Bindings& names, const std::string& path,
                                                 std::int64_t least) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    WS_TRY(const std::int64_t value, evaluate_size(texts[i], names, item(path, i), least));
    values.push_back(value);
  }
  return values;
}

}  // namespace ws
