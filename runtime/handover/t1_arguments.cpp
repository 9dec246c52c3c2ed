#include "runtime/handover/t1_arguments.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The words of T1 for element types; the others have none.
constexpr std::array<std::pair<DType, std::string_view>, 12> kT1Words = {{{DType::kBool, "bool"},
                                                                          {DType::kI8, "int8"},
                                                                          {DType::kU8, "uint8"},
                                                                          {DType::kI16, "int16"},
                                                                          {DType::kU16, "uint16"},
                                                                          {DType::kI32, "int32"},
                                                                          {DType::kU32, "uint32"},
                                                                          {DType::kI64, "int64"},
                                                                          {DType::kU64, "uint64"},
                                                                          {DType::kF16, "half"},
                                                                          {DType::kF32, "float"},
                                                                          {DType::kF64, "double"}}};

Result<std::string> t1_word(const Kernel& kernel, DType type, const std::string& name) {
  const auto* const row =
      std::ranges::find_if(kT1Words, [type](const auto& each) { return each.first == type; });
  if (row == kT1Words.end()) {
    return t1_unsupported(kernel, "takes `" + name + "` of type " + std::string(name_of(type)) +
                                      ", which a T1 file does not have");
  }
  return std::string(row->second);
}

OrderedJson t1_scalar(const std::string& name, const std::string& word, const OrderedJson& value) {
  return {{"Name", name},
          {"Type", word},
          {"MemoryType", "Scalar"},
          {"FillType", "Constant"},
          {"FillValue", value}};
}

Result<OrderedJson> t1_value(const Kernel& kernel, const Bindings& sizes,
                             const LaunchArgSpec& arg) {
  WS_TRY(const std::string word, t1_word(kernel, arg.type, arg.value));
  if (is_float(arg.type)) {
    return t1_scalar("value", word, OrderedJson::parse(arg.value, nullptr, false));
  }
  WS_TRY(const std::int64_t value, t1_number(kernel, sizes, arg.value, "an argument"));
  return t1_scalar("value", word, value);
}

/// Whether an expression calls a function: "cdiv(a, b)", "cdiv (a, b)".
bool calls(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + name.size())) {
    const std::size_t behind = text.find_first_not_of(" \t\r\n", at + name.size());
    if (behind != std::string_view::npos && text[behind] == '(') {
      return true;
    }
  }
  return false;
}

}  // namespace

tl::unexpected<Error> t1_unsupported(const Kernel& kernel, const std::string& why) {
  return fail(ErrorCode::kUnsupported, kernel.id + " " + why);
}

Result<std::int64_t> t1_number(const Kernel& kernel, const Bindings& sizes, const std::string& text,
                               const std::string& what) {
  const Result<std::int64_t> value = eval_expr(text, sizes);
  if (!value) {
    return t1_unsupported(
        kernel, "computes " + what + " as `" + text + "`, and a T1 file has numbers there");
  }
  return *value;
}

Status check_t1_expression(const Kernel& kernel, const std::string& text) {
  for (const std::string_view name : {"cdiv", "log2", "gcd", "lcm", "pow2ceil"}) {
    if (calls(text, name)) {
      return t1_unsupported(kernel, "has the expression `" + text + "`, and Kernel Tuner has no " +
                                        std::string(name) + "()");
    }
  }
  return {};
}

Result<OrderedJson> t1_argument(const Handover& handover, const Bindings& sizes,
                                const LaunchArgSpec& arg) {
  const Kernel& kernel = handover.kernel;
  if (arg.kind == LaunchArgSpec::Kind::kValue) {
    return t1_value(kernel, sizes, arg);
  }
  if (arg.kind != LaunchArgSpec::Kind::kName || kernel.params.contains(arg.name)) {
    return t1_unsupported(kernel,
                          "passes a part of a buffer, a struct, a texture, nothing or a parameter, "
                          "which a T1 file does not describe");
  }
  const ArgSpec* const spec = handover.problem.find_arg(arg.name);
  if (spec == nullptr) {
    return t1_scalar(arg.name, "int32", sizes.at(arg.name));
  }
  WS_TRY(const std::string word, t1_word(kernel, spec->type, arg.name));
  if (spec->role == Role::kScalar) {
    return t1_scalar(arg.name, word, handover.workload.scalars.at(arg.name));
  }
  WS_TRY(const std::int64_t elements, elements_of(*spec, sizes));
  const bool zeros = spec->role == Role::kOut || spec->fill.kind == "zeros";
  return OrderedJson{{"Name", arg.name},
                     {"Type", word},
                     {"MemoryType", "Vector"},
                     {"AccessType", spec->role == Role::kIn    ? "ReadOnly"
                                    : spec->role == Role::kOut ? "WriteOnly"
                                                               : "ReadWrite"},
                     {"FillType", zeros ? "Constant" : "Random"},
                     {"Size", elements},
                     {"FillValue", zeros ? 0.0 : 1.0}};
}

}  // namespace ws
