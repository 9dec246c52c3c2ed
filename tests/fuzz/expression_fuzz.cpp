// A text as an expression of a plan: it is refused with its place, or gives the same number twice
// or the same error, whatever its names are.
#include <string>

#include "runtime/kernel/expr/expr.h"
#include "tests/fuzz/must.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ws::fuzz::must;
  const std::string_view text = ws::fuzz::text_of(data, size);
  const ws::Result<ws::Expr> parsed = ws::parse_expr(text);
  if (!parsed) {
    must(!parsed.error().message.empty());
    return 0;
  }
  must(parsed->text() == text && parsed->check_names(parsed->names()).has_value());
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-3},
                                   std::int64_t{1} << 40U, INT64_MAX, INT64_MIN}) {
    ws::Bindings names;
    for (const std::string& name : parsed->names()) {
      names[name] = value;
    }
    const ws::Result<std::int64_t> once = parsed->eval(names);
    const ws::Result<std::int64_t> twice = ws::parse_expr(text)->eval(names);
    must(once.has_value() == twice.has_value());
    must(once ? *once == *twice : once.error().message == twice.error().message);
  }
  return 0;
}
