#include "runtime/ir/syntax/ops.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ws::ir {
namespace {

constexpr std::array<std::pair<std::string_view, ArgKind>, 13> kArgKinds = {{
    {"num", ArgKind::kNum},
    {"int", ArgKind::kInt},
    {"bool", ArgKind::kBool},
    {"str", ArgKind::kStr},
    {"dtype", ArgKind::kDtype},
    {"shape", ArgKind::kShape},
    {"index", ArgKind::kIndex},
    {"tensor", ArgKind::kTensor},
    {"buffer", ArgKind::kBuffer},
    {"barrier", ArgKind::kBarrier},
    {"bytes", ArgKind::kBytes},
    {"method", ArgKind::kMethod},
    {"any", ArgKind::kAny},
}};

constexpr std::array<std::string_view, 4> kLibraries = {"math", "np", "numpy", "torch"};

constexpr std::array<std::string_view, 4> kLateNames = {"cp_async", "ring", "tma_load",
                                                        "tma_store"};

// As NumPy names a parameter, and as it is called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSpellings = {{
    {"axis", "dim"},
    {"keepdims", "keepdim"},
}};

constexpr std::array<OperatorInfo, 25> kOperators = {{
#define WS_IR_OPERATOR(id, text, precedence, kind) \
  {Operator::id, text, precedence, OperatorKind::kind},
#include "runtime/ir/syntax/operators.def"
#undef WS_IR_OPERATOR
}};

ArgKind kind_of(std::string_view word) {
  const auto* const row =
      std::find_if(kArgKinds.begin(), kArgKinds.end(),
                   [&](const auto& candidate) { return candidate.first == word; });
  return row == kArgKinds.end() ? ArgKind::kAny : row->second;
}

// "x: num" or "x: num = None"; `*x: int` repeats.
OpParam parse_param(std::string_view text) {
  const std::size_t colon = text.find(": ");
  const std::size_t equals = text.find(" = ");
  OpParam param;
  param.repeated = text.front() == '*';
  param.name = text.substr(param.repeated ? 1 : 0, colon - (param.repeated ? 1 : 0));
  param.required = equals == std::string_view::npos && !param.repeated;
  param.kind = kind_of(
      text.substr(colon + 2, equals == std::string_view::npos ? equals : equals - colon - 2));
  return param;
}

std::vector<OpParam> parse_signature(std::string_view signature) {
  std::vector<OpParam> params;
  while (!signature.empty()) {
    const std::size_t comma = signature.find(", ");
    params.push_back(parse_param(signature.substr(0, comma)));
    signature = comma == std::string_view::npos ? std::string_view() : signature.substr(comma + 2);
  }
  return params;
}

std::vector<OpInfo> make_ops() {
  return {
#define WS_IR_OP(id, name, group, signature, effect, ptx, meaning) \
  {Op::id,           name, OpGroup::group, signature,              \
   OpEffect::effect, ptx,  meaning,        parse_signature(signature)},
#include "runtime/ir/syntax/ops.def"
#undef WS_IR_OP
  };
}

}  // namespace

std::span<const OpInfo> all_ops() {
  static const std::vector<OpInfo> ops = make_ops();
  return ops;
}

const OpInfo& info_of(Op op) {
  return all_ops()[static_cast<std::size_t>(op)];
}

std::optional<Op> find_op(std::string_view name) {
  for (const OpInfo& info : all_ops()) {
    if (info.name == name) {
      return info.op;
    }
  }
  return std::nullopt;
}

bool may_be_taken(std::string_view name) {
  return std::ranges::find(kLateNames, name) != kLateNames.end();
}

bool is_library(std::string_view name) {
  return std::find(kLibraries.begin(), kLibraries.end(), name) != kLibraries.end();
}

bool is_in_libraries(std::string_view name) {
  const std::optional<Op> op = find_op(name);
  return name == "inf" || (op && info_of(*op).group <= OpGroup::kArange);
}

std::string_view parameter_of(const OpInfo& info, std::string_view name) {
  const auto* const row = std::find_if(kSpellings.begin(), kSpellings.end(),
                                       [&](const auto& entry) { return entry.first == name; });
  const bool has = row != kSpellings.end() &&
                   std::any_of(info.params.begin(), info.params.end(),
                               [&](const OpParam& param) { return param.name == row->second; });
  return has ? row->second : name;
}

std::string_view word_of(OpEffect effect) {
  constexpr std::array<std::string_view, 6> words = {"pure",  "reads", "writes",
                                                     "async", "sync",  "build"};
  return words.at(static_cast<std::size_t>(effect));
}

std::string_view result_of(OpGroup group) {
  constexpr std::array<std::string_view, 35> words = {
      "shape of x",
      "x and y broadcast",
      "all three broadcast",
      "c0 to c3 broadcast",
      "shape of x, the type named; a number of a number",
      "x without dim, or dim of size 1",
      "shape of x",
      "the shape named",
      "x with its last two sizes exchanged",
      "x with its sizes in the order of dims",
      "x, with y's size along dim added",
      "shape of x",
      "the shape named",
      "the shape and type named",
      "(n,) of i32",
      "the shape named, the type of source",
      "",
      "the shape of indices, the type of source",
      "",
      "(m, k) by (k, n): (m, n)",
      "(m, k) by (k, n): (m, n), in registers",
      "a buffer",
      "",
      "",
      "n barriers",
      "the type of x",
      "a ring",
      "a barrier",
      "",
      "a range",
      "a number",
      "an integer",
      "an integer",
      "a number",
      "an integer"};
  return words.at(static_cast<std::size_t>(group));
}

std::span<const OperatorInfo> all_operators() {
  return kOperators;
}

const OperatorInfo& info_of(Operator op) {
  return kOperators.at(static_cast<std::size_t>(op));
}

}  // namespace ws::ir
