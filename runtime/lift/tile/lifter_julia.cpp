// Rules that only Julia has: dots, indices from one, names without a module.
#include <algorithm>
#include <array>
#include <limits>

#include "runtime/base/nearest.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::array<std::string_view, 9> kFunctions = {
    "size", "eltype", "length", "ndims", "typemin", "typemax", "zero", "one", "mod1"};

bool has_tile(const std::vector<Value>& args) {
  return std::ranges::any_of(args, [](const Value& value) { return value.is_tile(); });
}

}  // namespace

Result<Value> Lifter::julia_name(const Node& node) {
  const std::string& name = node.text;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (name == "Inf" || name == "Inf32" || name == "Inf16") {
    return constant_of(kInfinity);
  }
  if (name == "NaN" || name == "NaN32" || name == "NaN16") {
    return constant_of(std::numeric_limits<double>::quiet_NaN());
  }
  if (std::ranges::find(kFunctions, name) != kFunctions.end()) {
    return name_of("julia." + name);
  }
  WS_TRY(const Value known, member(node, "Base." + name));
  if (known.kind == ValueKind::kType) {
    return known;
  }
  if (find_api(Language::kCutileJl, name) != nullptr) {
    return name_of("cuTile." + name);
  }
  std::vector<std::string> names = api_names(Language::kCutileJl);
  for (const auto& [each, value] : scopes_.back().names) {
    names.push_back(each);
  }
  return complain(node, "unknown name `" + name + "`", suggest(name, names));
}

Result<Value> Lifter::call_julia(const Node& node, const std::string& name,
                                 const std::vector<Value>& args) {
  if (args.empty()) {
    return complain(node, "`" + name + "` needs an argument");
  }
  const Value& x = args[0];
  const bool array = x.kind == ValueKind::kArray;
  if (name == "size" && (array || x.is_tile()) && args.size() == 2) {
    WS_TRY(const std::int64_t axis, axis_of(node, args[1], x.shape.size()));
    return array ? number_of(DType::kI32, x.text + ".shape[" + std::to_string(axis) + "]")
                 : constant_of(x.shape[static_cast<std::size_t>(axis)]);
  }
  if (name == "size" && x.is_tile()) {
    std::vector<Value> sizes;
    for (const std::int64_t size : x.shape) {
      sizes.push_back(constant_of(size));
    }
    return tuple_of(std::move(sizes));
  }
  if (name == "eltype" && (array || x.is_numeric())) {
    return type_of(x.dtype);
  }
  if (name == "ndims" && (array || x.is_tile())) {
    return constant_of(static_cast<std::int64_t>(x.shape.size()));
  }
  if (name == "length" && x.is_tile()) {
    return constant_of(count_of(x.shape));
  }
  const bool typed = x.kind == ValueKind::kType || x.is_numeric();
  if ((name == "typemin" || name == "typemax") && typed && is_float(x.dtype)) {
    const double most = std::numeric_limits<double>::infinity();
    return cast(constant_of(name == "typemin" ? -most : most), x.dtype);
  }
  if ((name == "zero" || name == "one") && typed) {
    return cast(constant_of(static_cast<std::int64_t>(name == "one" ? 1 : 0)), x.dtype);
  }
  if (name == "mod1" && args.size() == 2) {
    const Value one = constant_of(std::int64_t{1});
    WS_TRY(const Value before, binary(node, "-", x, one));
    WS_TRY(const Value rest, binary(node, "%", before, args[1]));
    return binary(node, "+", rest, one);
  }
  return complain(node, "`" + name + "` does not take " + describe(x) + " here");
}

const ApiInfo* Lifter::by_elements(const Node& node, const ApiInfo& info,
                                   const std::vector<Value>& args) {
  return info.api == Api::kDot && (node.text == "." || !has_tile(args)) ? &info_of(Api::kFma)
                                                                        : &info;
}

Status Lifter::check_dot(const Node& node, const ApiInfo& info, const std::vector<Value>& args) {
  const bool by_elements = info.group == ApiGroup::kUnary || info.group == ApiGroup::kBinary ||
                           info.group == ApiGroup::kOperator || info.api == Api::kWhere ||
                           info.api == Api::kFma || info.api == Api::kClamp;
  const std::string& name = info.cutile_jl.name;
  if (by_elements && node.text != "." && has_tile(args)) {
    return complain(node, "`" + name + "` of a tile needs a dot",
                    info.api == Api::kMaximum   ? "max.(x, y), or maximum(x; dims=1) to reduce"
                    : info.api == Api::kMinimum ? "min.(x, y), or minimum(x; dims=1) to reduce"
                                                : name + ".(x)");
  }
  return {};
}

Result<Value> Lifter::julia_binary(const Node& node, std::string op, Value a, Value b) {
  const bool dotted = op.size() > 1 && op.front() == '.';
  if (dotted) {
    return binary(node, op.substr(1), std::move(a), std::move(b));
  }
  if (!a.is_tile() && !b.is_tile()) {
    return binary(node, op, std::move(a), std::move(b));
  }
  const bool both = a.is_tile() && b.is_tile();
  if (op == "*" && both && a.shape.size() == 2 && b.shape.size() == 2) {
    Arguments args;
    args.set("a", std::move(a));
    args.set("b", std::move(b));
    return product(node, info_of(Api::kDot), args);
  }
  const bool sums = (op == "+" || op == "-") && both && a.shape == b.shape;
  const bool scales = (op == "*" && !both) || (op == "/" && !b.is_tile());
  if (sums || scales) {
    return binary(node, op, std::move(a), std::move(b));
  }
  return complain(node, "`" + op + "` of " + describe(a) + " and " + describe(b) + " needs a dot",
                  "x ." + op + " y works element by element");
}

// first:step:last, both ends included.
Result<Value> Lifter::julia_range(const Node& node) {
  WS_TRY(const Value first, eval(node.kids[0]));
  WS_TRY(const Value last, eval(node.kids[1]));
  WS_TRY(const Value step, eval(node.kids[2]));
  std::vector<Value> numbers{first, last};
  if (step.kind != ValueKind::kNone) {
    numbers.push_back(step);
  }
  WS_TRY(std::vector<Value> range, loop_range(node, numbers));
  const bool down = range[2].integer && *range[2].integer < 0;
  WS_TRY(range[1], binary(node, down ? "-" : "+", range[1], constant_of(std::int64_t{1})));
  Value made = tuple_of(std::move(range));
  made.text = "range";
  return made;
}

Result<Value> Lifter::julia_index(const Node& node) {
  WS_TRY(const Value base, eval(node.kids[0]));
  if (node.text == "{") {
    // ct.Tile{Float32}: its element type.
    return base.kind == ValueKind::kName && node.kids.size() > 1 && base.text.ends_with("Tile")
               ? eval(node.kids[1])
               : Result<Value>(base);
  }
  std::vector<Value> items;
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    WS_TRY(Value item, eval(node.kids[i]));
    items.push_back(std::move(item));
  }
  if (base.kind == ValueKind::kTuple && items.size() == 1 && items[0].integer) {
    const std::int64_t place = *items[0].integer - 1;
    if (place >= 0 && place < static_cast<std::int64_t>(base.items.size())) {
      return base.items[static_cast<std::size_t>(place)];
    }
  }
  if (base.kind == ValueKind::kArray) {
    WS_TRY(const std::vector<Value> place,
           indices_of(node, tuple_of(std::move(items)), base.shape.size()));
    std::string text;
    for (const Value& item : place) {
      if (!item.is_number()) {
        return complain(node, "an element has one number for each dimension",
                        "ct.gather takes a tile of indices");
      }
      text += (text.empty() ? "" : ", ") + item.text;
    }
    return number_of(base.dtype, base.text + "[" + text + "]");
  }
  if (base.is_tile() && count_of(base.shape) == 1) {
    std::string zeros = "0";
    for (std::size_t i = 1; i < base.shape.size(); ++i) {
      zeros += ", 0";
    }
    return number_of(base.dtype, at(base, kTight) + "[" + zeros + "]");
  }
  return complain(node, describe(base) + " has no parts here",
                  "ct.extract(x, index, shape) takes a part of a tile");
}

}  // namespace ws::lift::tile
