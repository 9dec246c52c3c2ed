// Names, members and attributes.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

struct TypeName {
  std::string_view name;
  DType dtype;
};

constexpr std::array<TypeName, 36> kTypeNames = {{
    {"float64", DType::kF64},
    {"float32", DType::kF32},
    {"tfloat32", DType::kTf32},
    {"float16", DType::kF16},
    {"bfloat16", DType::kBf16},
    {"float8e4nv", DType::kF8e4m3},
    {"float8e5", DType::kF8e5m2},
    {"float8_e4m3fn", DType::kF8e4m3},
    {"float8_e5m2", DType::kF8e5m2},
    {"int64", DType::kI64},
    {"int32", DType::kI32},
    {"int16", DType::kI16},
    {"int8", DType::kI8},
    {"uint64", DType::kU64},
    {"uint32", DType::kU32},
    {"uint16", DType::kU16},
    {"uint8", DType::kU8},
    {"int1", DType::kBool},
    {"bool_", DType::kBool},
    {"bool", DType::kBool},
    {"Float64", DType::kF64},
    {"Float32", DType::kF32},
    {"TFloat32", DType::kTf32},
    {"Float16", DType::kF16},
    {"BFloat16", DType::kBf16},
    {"Int64", DType::kI64},
    {"Int32", DType::kI32},
    {"Int16", DType::kI16},
    {"Int8", DType::kI8},
    {"UInt64", DType::kU64},
    {"UInt32", DType::kU32},
    {"UInt16", DType::kU16},
    {"UInt8", DType::kU8},
    {"Bool", DType::kBool},
    {"Float8_E4M3FN", DType::kF8e4m3},
    {"Float8_E5M2", DType::kF8e5m2},
}};

std::optional<DType> type_named(std::string_view name) {
  const auto* const row =
      std::ranges::find_if(kTypeNames, [&](const TypeName& each) { return each.name == name; });
  return row == kTypeNames.end() ? std::nullopt : std::optional(row->dtype);
}

}  // namespace

Result<Value> Lifter::name(const Node& node) {
  const Scope& scope = scopes_.back();
  if (const auto local = scope.names.find(node.text); local != scope.names.end()) {
    WS_CHECK(count_steps(node, parts_of(local->second)));
    return local->second.kind == ValueKind::kUnknown ? Result<Value>(silent()) : local->second;
  }
  if (const auto lost = scope.lost.find(node.text); lost != scope.lost.end()) {
    return complain(node,
                    "`" + node.text + "` has a value only if the statement of line " +
                        std::to_string(lost->second) + " gave it one",
                    "assign it before that loop or branch");
  }
  const std::string own = file_.qualified(node.unit, node.text);
  if (const auto module = file_.modules.find(own); module != file_.modules.end()) {
    return imported(node, module->second);
  }
  if (const auto constant = file_.constants.find(own); constant != file_.constants.end()) {
    return file_constant(node, constant->second);
  }
  if (file_.find(own) != nullptr) {
    return name_of(own);
  }
  if (julia()) {
    return julia_name(node);
  }
  constexpr std::array<std::string_view, 10> kBuiltins = {"range", "min", "max",   "abs",  "len",
                                                          "float", "int", "print", "bool", "sum"};
  if (std::ranges::find(kBuiltins, node.text) != kBuiltins.end()) {
    return name_of("builtins." + node.text);
  }
  std::vector<std::string> known;
  for (const auto& [each, value] : scope.names) {
    known.push_back(each);
  }
  return complain(node, "unknown name `" + node.text + "`", suggest(node.text, known));
}

Result<Value> Lifter::imported(const Node& node, const std::string& path) {
  std::string at = path;
  for (std::size_t hops = 0; hops <= file_.units.size(); ++hops) {
    const std::optional<std::string> known = file_.sent(at);
    if (!known) {
      return at.find('.') == std::string::npos ? name_of(at) : member_of_library(at);
    }
    if (const auto constant = file_.constants.find(*known); constant != file_.constants.end()) {
      return file_constant(node, constant->second);
    }
    if (file_.find(*known) != nullptr || file_.unit_of(*known) != nullptr) {
      return name_of(*known);
    }
    const auto again = file_.modules.find(*known);
    if (again == file_.modules.end()) {
      const std::size_t last = known->rfind('.');
      return complain(node, "`" + file_.unit_of(known->substr(0, last))->file + "` has no `" +
                                known->substr(last + 1) + "` that a kernel can use");
    }
    at = again->second;
  }
  return complain(node, "the imports of `" + node.text + "` go round in a circle");
}

Status Lifter::check_sent(const Node& node, const Value& value) {
  constexpr std::array<std::string_view, 8> kLibraries = {"triton", "cuda", "cuTile",   "torch",
                                                          "numpy",  "math", "builtins", "julia"};
  const std::size_t first = std::min(value.text.find_first_not_of('.'), value.text.size());
  const std::string root = value.text.substr(first, value.text.find('.', first) - first);
  const std::size_t last = value.text.rfind('.');
  if (value.kind != ValueKind::kName || last == std::string::npos || last < first ||
      std::ranges::find(kLibraries, root) != kLibraries.end() || file_.sent(value.text)) {
    return {};
  }
  const std::string module = value.text.substr(0, last);
  return complain(
      node,
      "`" + value.text.substr(last + 1) + "` comes from the module `" + module +
          "`, which was not sent with the kernel",
      "send its file: \"headers\": {\"" + module.substr(module.rfind('.') + 1) + ".py\": \"...\"}");
}

Result<Value> Lifter::file_constant(const Node& node, NodeId id) {
  if (const auto known = constants_.find(id); known != constants_.end()) {
    return known->second;
  }
  const std::size_t before = result_.complaints.size();
  const Result<Value> value = eval_in_file(id);
  const bool fits = value && (value->is_constant() || value->kind == ValueKind::kType ||
                              value->kind == ValueKind::kText || value->kind == ValueKind::kName ||
                              value->kind == ValueKind::kNone);
  if (fits) {
    return constants_[id] = *value;
  }
  result_.complaints.resize(before);
  return complain(node, "`" + node.text + "` of the file is no constant that a kernel can use",
                  "pass it to the kernel as an argument");
}

Result<Value> Lifter::eval_in_file(NodeId id) {
  scopes_.push_back({.function = nullptr,
                     .prefix = {},
                     .names = {},
                     .variables = {},
                     .lost = {},
                     .returned = {}});
  Result<Value> value = eval(id);
  scopes_.pop_back();
  return value;
}

Result<Value> Lifter::attribute(const Node& node) {
  WS_TRY(const Value base, eval(node.kids[0]));
  if (base.kind == ValueKind::kName) {
    return member(node, base.text + "." + node.text);
  }
  const std::string& what = node.text;
  if (what == "dtype" &&
      (base.is_numeric() || base.kind == ValueKind::kPointer || base.kind == ValueKind::kArray)) {
    return type_of(base.dtype);
  }
  if (base.kind == ValueKind::kBlock && base.block->descriptor) {
    if (std::optional<Value> own = of_descriptor(base, what)) {
      return *std::move(own);
    }
  }
  if (what == "block_type" && triton() && base.kind == ValueKind::kType) {
    return base;  // desc.type.block_type.element_ty
  }
  if ((what == "element_ty" || what == "scalar" || what == "type") && triton()) {
    return type_of(base.dtype);
  }
  if (what == "shape" && (base.is_tile() || base.kind == ValueKind::kPointer)) {
    std::vector<Value> sizes;
    for (const std::int64_t size : base.shape) {
      sizes.push_back(constant_of(size));
    }
    return tuple_of(std::move(sizes));
  }
  if (what == "shape" && base.kind == ValueKind::kArray) {
    std::vector<Value> sizes;
    for (std::size_t i = 0; i < base.shape.size(); ++i) {
      sizes.push_back(extent_of(base, i));
    }
    return tuple_of(std::move(sizes));
  }
  if (what == "ndim" && base.kind == ValueKind::kArray) {
    return constant_of(static_cast<std::int64_t>(base.shape.size()));
  }
  if (what == "T" && base.is_tile()) {
    const auto rank = static_cast<std::int64_t>(base.shape.size());
    Shape dims;
    for (std::int64_t i = rank; i-- > 0;) {
      dims.push_back(i);
    }
    return permute(node, base, dims);
  }
  if (what == "value" && base.is_constant()) {
    return base;
  }
  Value method;
  method.kind = ValueKind::kMethod;
  method.text = what;
  method.items = {base};
  return method;
}

Result<Value> Lifter::member(const Node& node, const std::string& path) {
  return imported(node, path);
}

Value Lifter::member_of_library(const std::string& path) {
  const std::string last = path.substr(path.rfind('.') + 1);
  if (const std::optional<DType> type = type_named(last)) {
    return type_of(*type);
  }
  if (path == "math.e") {
    return constant_of(2.718281828459045);
  }
  if (path == "math.pi") {
    return constant_of(3.141592653589793);
  }
  if (path == "math.inf" || path == "cuda.tile.inf" || path == "torch.inf" || path == "numpy.inf") {
    return constant_of(std::numeric_limits<double>::infinity());
  }
  return name_of(path);
}

}  // namespace ws::lift::tile
