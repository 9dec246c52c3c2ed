#include "runtime/ir/syntax/reserved.h"

#include <algorithm>
#include <array>

#include "runtime/ir/syntax/expr_parser.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {
      "self", "inf", "blockIdx", "gridDim", "blockDim", "KernelBase", "run"};
  return is_keyword(name) || std::ranges::find(kNames, name) != kNames.end() || find_op(name) ||
         find_op("self." + std::string(name)) || is_library(name);
}

std::string free_name(const std::string& name) {
  return is_reserved(name) ? name + "_" : name;
}

}  // namespace ws::ir
