#include "runtime/handover/drawing.h"

#include <cstddef>

#include "runtime/judge/fills.h"

namespace ws {

std::array<std::string_view, 3> drawn_numbers(const ArgSpec& arg) {
  std::array<std::string_view, 3> names;
  const FillRow* const row = find_fill(arg.fill.kind);
  for (std::size_t i = 0; row != nullptr && i < row->params.size() && i < names.size(); ++i) {
    names.at(i) = row->params[i].name;
  }
  return names;
}

std::pair<double, double> drawn_range(const ArgSpec& arg) {
  if (arg.domain) {
    return *arg.domain;
  }
  const double most = max_finite(arg.type);
  const bool is_unsigned = name_of(arg.type).front() == 'u' || arg.type == DType::kBool;
  return {is_unsigned ? 0 : -most, most};
}

}  // namespace ws
