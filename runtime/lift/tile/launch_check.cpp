#include "runtime/lift/tile/launch_check.h"

#include <algorithm>

#include "runtime/base/nearest.h"

namespace ws::lift::tile {
namespace {

/// The decorator that makes a function a kernel of the language; empty: any function is one.
std::string_view decorator_of(Language language) {
  return language == Language::kTriton ? "jit" : language == Language::kCutile ? "kernel" : "";
}

std::string parameter_names(const Function& function) {
  std::string text;
  for (const Parameter& parameter : function.parameters) {
    text += (text.empty() ? "" : ", ") + parameter.name;
  }
  return "(" + text + ")";
}

/// Why argument `index` does not fit its parameter, or why it may not be missing.
std::vector<Complaint> check_argument(const File& file, const Function& kernel,
                                      const TileLaunch& launch, std::size_t index) {
  const Parameter& parameter = kernel.parameters[index];
  if (index >= launch.args.size()) {
    if (parameter.default_value != kNoNode) {
      return {};
    }
    return {{parameter.line, 0,
             "the launch passes no argument for `" + parameter.name + "`: `" + kernel.name +
                 "` takes " + parameter_names(kernel),
             "add it to the launch's args; a constant too, as {\"value\": \"64\", \"type\": "
             "\"i32\"} or the name of a parameter or dim"}};
  }
  const TileArg& arg = launch.args[index];
  const bool descriptor = arg.kind == TileArg::Kind::kDescriptor;
  if (descriptor && file.language != Language::kTriton) {
    return {{parameter.line, 0,
             "the launch passes a tensor map of `" + arg.name + "` as `" + parameter.name +
                 "`: only kernels of Triton take descriptors",
             "pass `" + arg.name + "` itself"}};
  }
  const bool odd =
      descriptor &&
      !std::all_of(arg.shape.begin() + static_cast<std::ptrdiff_t>(arg.strides.size()),
                   arg.shape.end(), [](std::int64_t size) { return (size & (size - 1)) == 0; });
  if (odd) {
    return {{parameter.line, 0,
             "the launch passes `" + parameter.name + "` a tensor map of `" + arg.name +
                 "` with a box whose sizes are no powers of two",
             "a tile has powers of two"}};
  }
  if ((descriptor || arg.kind == TileArg::Kind::kTensor) && parameter.annotation != kNoNode &&
      is_constant_parameter(file, parameter)) {
    return {{parameter.line, 0,
             "`" + parameter.name + "` is a constant, and the launch passes `" + arg.name +
                 "`, a buffer",
             "pass the arguments in the order of the parameters"}};
  }
  return {};
}

}  // namespace

bool is_constant_parameter(const File& file, const Parameter& parameter) {
  if (file.language != Language::kCutileJl) {
    return names_word(file, parameter.annotation,
                      file.language == Language::kTriton ? "constexpr" : "Constant");
  }
  // `::Int` is what ct.Constant(64) is at the launch; numbers of the run are `::Int32`. A buffer
  // is no constant, whatever stands there.
  if (parameter.annotation == kNoNode) {
    return true;
  }
  const Node* type = &file.node(parameter.annotation);
  type = type->kind == NodeKind::kIndex ? &file.node(type->kids.front()) : type;
  return type->text == "Int" || type->text == "Bool" || type->text == "Constant";
}

const Function* find_kernel(const File& file, const TileLaunch& launch,
                            std::vector<Complaint>& complaints) {
  const Function* kernel = file.find(launch.entry);
  if (kernel == nullptr) {
    std::vector<std::string> known;
    for (const Function& function : file.functions) {
      if (function.unit == 0) {
        known.push_back(function.name);
      }
    }
    complaints.push_back(
        {0, 0, "the source has no function `" + launch.entry + "`", suggest(launch.entry, known)});
    return nullptr;
  }
  const std::string_view decorator = decorator_of(file.language);
  const bool decorated =
      decorator.empty() || std::ranges::any_of(kernel->decorators, [&](NodeId id) {
        return names_word(file, id, decorator);
      });
  if (!decorated) {
    const bool triton = file.language == Language::kTriton;
    complaints.push_back(
        {kernel->line, 0, "`" + kernel->name + "` is not a kernel",
         "write " + std::string(triton ? "@triton.jit" : "@ct.kernel") + " above it"});
    return nullptr;
  }
  return kernel;
}

std::vector<Complaint> check_launch(const File& file, const Function& kernel,
                                    const TileLaunch& launch) {
  const std::size_t count = kernel.parameters.size();
  if (kernel.open || launch.args.size() > count) {
    return {{kernel.line, 0,
             kernel.open ? "`" + kernel.name + "` takes any number of arguments"
                         : "the launch passes " + std::to_string(launch.args.size()) +
                               " arguments, `" + kernel.name + "` takes " + std::to_string(count) +
                               ": " + parameter_names(kernel),
             "list the parameters, and pass them in this order"}};
  }
  std::vector<Complaint> complaints;
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::move(check_argument(file, kernel, launch, i), std::back_inserter(complaints));
  }
  return complaints;
}

}  // namespace ws::lift::tile
