#include "tests/fuzz/arguments.h"

#include <algorithm>

#include "tests/ir/corpus.h"

namespace ws::ir {
namespace {

std::vector<std::string> needed(const Program& program) {
  std::vector<std::string> names;
  const Method* init = program.find_method("__init__");
  for (const Param& param : init != nullptr ? init->params : std::vector<Param>()) {
    if (param.default_value == kNoExpr) {
      names.push_back(param.name);
    }
  }
  return names;
}

}  // namespace

std::vector<Tensor> fuzz_arguments(const Program& program) {
  static const std::vector<std::vector<Tensor>> known = [] {
    std::vector<std::vector<Tensor>> all;
    for (const std::string& name : base_names()) {
      all.push_back(arguments_of(base_text(name)));
    }
    return all;
  }();
  const std::vector<std::string> names = needed(program);
  for (const std::vector<Tensor>& tensors : known) {
    if (std::equal(names.begin(), names.end(), tensors.begin(), tensors.end(),
                   [](const std::string& name, const Tensor& t) { return name == t.name; })) {
      return tensors;
    }
  }
  std::vector<Tensor> tensors;
  for (const std::string& name : names) {
    tensors.push_back(random_tensor(name, DType::kF16, {64, 64}));
    tensors.back().role = TensorRole::kInOut;
  }
  return tensors;
}

}  // namespace ws::ir
