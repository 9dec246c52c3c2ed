// Expressions of a plan as numbers, with the field in each error: "launches[0].grid[1]: ...".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// "scratch[2]"
std::string item(const std::string& field, std::size_t index);

/// "<path>: <message>", kInvalidArgument.
tl::unexpected<Error> bad(const std::string& path, const std::string& message,
                          std::string hint = {});

/// @errors kInvalidArgument: the expression fails, as eval_expr.
Result<std::int64_t> evaluate(const std::string& text, const Bindings& names,
                              const std::string& path);

/// A size: at least `least`. @errors as evaluate().
Result<std::int64_t> evaluate_size(const std::string& text, const Bindings& names,
                                   const std::string& path, std::int64_t least);

/// One size for each text. @errors as evaluate(), naming the item.
Result<std::vector<std::int64_t>> evaluate_sizes(const std::vector<std::string>& texts,
                                                 const Bindings& names, const std::string& path,
                                                 std::int64_t least);

}  // namespace ws
