// Calls: of operations by api.def, of functions of the file, and of Python's own.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/base/nearest.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxCallDepth = 16;

/// The modules whose members are operations of the language.
constexpr std::array<std::string_view, 8> kTritonModules = {"triton.language.extra.cuda.libdevice.",
                                                            "triton.language.extra.libdevice.",
                                                            "triton.language.math.",
                                                            "triton.language.",
                                                            "triton.",
                                                            "libdevice.",
                                                            "tl.math.",
                                                            "tl."};
constexpr std::array<std::string_view, 2> kCutileModules = {"cuda.tile.", "cuTile."};

/// The part after the module, when `path` is a member of one; else nothing.
std::optional<std::string> operation_name(Language language, const std::string& path) {
  const auto strip = [&path](const auto& modules) -> std::optional<std::string> {
    for (const std::string_view module : modules) {
      if (path.starts_with(module)) {
        return path.substr(module.size());
      }
    }
    return std::nullopt;
  };
  return language == Language::kTriton ? strip(kTritonModules) : strip(kCutileModules);
}

}  // namespace

Result<Value> Lifter::call(const Node& node) {
  WS_TRY(const Value callee, eval(node.kids[0]));
  std::vector<Value> args;
  for (std::size_t i = 1; i < node.kids.size(); ++i) {
    WS_TRY(Value value, eval(node.kids[i]));
    args.push_back(std::move(value));
  }
  if (callee.kind == ValueKind::kMethod) {
    return call_method(node, callee, std::move(args));
  }
  if (callee.kind == ValueKind::kType && args.size() == 1) {
    return convert(node, args[0], callee);
  }
  if (callee.kind != ValueKind::kName) {
    return complain(node, describe(callee) + " cannot be called");
  }
  const std::string& path = callee.text;
  if (const Function* function = file_.find(path)) {
    const auto split = args.end() - static_cast<std::ptrdiff_t>(node.names.size());
    return call_function(node, *function, {args.begin(), split}, {split, args.end()});
  }
  if (path.starts_with("builtins.")) {
    return call_builtin(node, path.substr(path.find('.') + 1), args);
  }
  if (path.starts_with("math.")) {
    return call_math(node, path.substr(path.find('.') + 1), args);
  }
  if (path.starts_with("julia.")) {
    return call_julia(node, path.substr(path.find('.') + 1), args);
  }
  if (path == "cuTile.Tile" && args.size() == 1 && args[0].is_numeric()) {
    return args[0];  // A number as a tile without dimensions.
  }
  const std::optional<std::string> name = operation_name(file_.language, path);
  const ApiInfo* info = name ? find_api(file_.language, *name) : nullptr;
  if (info != nullptr) {
    if (julia()) {
      WS_CHECK(check_dot(node, *info, args));
    }
    return call_api(node, *info, std::move(args));
  }
  if (name) {
    return complain(node, "`" + prefix() + *name + "` is not known here",
                    suggest(*name, api_names(file_.language)));
  }
  return complain(node, "a kernel cannot call `" + path + "`",
                  triton() ? "call triton.language, or a function of this file with @triton.jit"
                           : "call cuda.tile, or a function of this file");
}

Result<Arguments> Lifter::bind(const Node& node, const Spelling& spelling,
                               std::vector<Value> args) {
  Arguments bound;
  const std::size_t positional = args.size() - node.names.size();
  const std::string call = "`" + prefix() + spelling.text() + "`";
  std::size_t next = 0;
  for (std::size_t i = 0; i < positional; ++i) {
    if (spelling.repeated && next == spelling.repeated_at) {
      // One tuple, or all that is left.
      const bool several = positional - i > 1 || args[i].kind != ValueKind::kTuple;
      std::vector<Value> rest(args.begin() + static_cast<std::ptrdiff_t>(i),
                              args.begin() + static_cast<std::ptrdiff_t>(positional));
      bound.set(spelling.parameters[next], several ? tuple_of(std::move(rest)) : args[i]);
      next = spelling.parameters.size();
      break;
    }
    if (next == spelling.parameters.size()) {
      return complain(node, call + " takes at most " + std::to_string(spelling.parameters.size()) +
                                " arguments, got " + std::to_string(positional));
    }
    bound.set(spelling.parameters[next++], std::move(args[i]));
  }
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const std::string& name = node.names[i];
    if (std::ranges::find(spelling.parameters, name) == spelling.parameters.end()) {
      return complain(node, call + " has no parameter `" + name + "`",
                      suggest(name, spelling.parameters));
    }
    if (bound.find(name) != nullptr) {
      return complain(node, call + " gets `" + name + "` twice");
    }
    bound.set(name, std::move(args[positional + i]));
  }
  return bound;
}

Result<Value> Lifter::call_api(const Node& node, const ApiInfo& info, std::vector<Value> args) {
  const Spelling& spelling = info.spelling(file_.language);
  WS_TRY(const Arguments bound, bind(node, spelling, std::move(args)));
  const bool takes_none = spelling.parameters.empty() || info.group == ApiGroup::kNothing;
  if (!takes_none && bound.find(spelling.parameters.front()) == nullptr) {
    return complain(
        node, "`" + prefix() + spelling.text() + "` needs `" + spelling.parameters.front() + "`");
  }
  return dispatch(node, info, bound);
}

Result<Value> Lifter::dispatch(const Node& node, const ApiInfo& info, const Arguments& args) {
  const auto& parameters = info.spelling(file_.language).parameters;
  switch (info.group) {
    case ApiGroup::kGrid:
      return grid(node, info, args);
    case ApiGroup::kMake:
      return make(node, info, args);
    case ApiGroup::kMemory:
      return memory(node, info, args);
    case ApiGroup::kShape:
      return shaped(node, info, args);
    case ApiGroup::kUnary:
      return map(node, info, args.first());
    case ApiGroup::kBinary:
    case ApiGroup::kOperator: {
      const Value* second = args.find(parameters[1]);
      if (second == nullptr) {
        return complain(node, "`" + prefix() + info.spelling(file_.language).text() + "` needs `" +
                                  parameters[1] + "`");
      }
      return info.group == ApiGroup::kBinary
                 ? zip(node, info, args.first(), *second)
                 : binary(node, std::string(info.cuir), args.first(), *second);
    }
    case ApiGroup::kType: {
      const Value* dtype = args.find("dtype");
      const Value* x = julia() ? args.find("x") : &args.first();
      return dtype == nullptr || x == nullptr
                 ? Result<Value>(complain(node, "`" + spelled(Api::kCast) + "` needs `dtype`"))
                 : convert(node, *x, *dtype);
    }
    case ApiGroup::kElements:
      return elements(node, info, args);
    case ApiGroup::kReduce:
      return reduce(node, info, args);
    case ApiGroup::kScan:
      return scan(node, info, args);
    case ApiGroup::kProduct:
      return product(node, info, args);
    case ApiGroup::kRange: {
      std::vector<Value> numbers;
      for (const char* each : {"first", "last", "step"}) {
        if (const Value* value = args.find(each)) {
          numbers.push_back(*value);
        }
      }
      if (const Value* items = args.find("items")) {
        numbers = items->items;
      }
      WS_TRY(std::vector<Value> range, loop_range(node, numbers));
      Value made = tuple_of(std::move(range));
      made.text = "range";
      if (info.api == Api::kRange) {
        return made;
      }
      const bool known = std::ranges::all_of(
          made.items, [](const Value& item) { return item.integer.has_value(); });
      constexpr std::int64_t kMost = 4096;
      const std::int64_t step = known ? *made.items[2].integer : 0;
      if (step == 0 || (*made.items[1].integer - *made.items[0].integer) / step > kMost) {
        return complain(node, "`" + spelled(Api::kStaticRange) + "` takes constants");
      }
      std::vector<Value> items;
      for (std::int64_t i = *made.items[0].integer;
           step > 0 ? i < *made.items[1].integer : i > *made.items[1].integer; i += step) {
        items.push_back(constant_of(i));
      }
      return tuple_of(std::move(items));
    }
    case ApiGroup::kIdentity:
      return args.first();
    case ApiGroup::kNothing:
      return Value();
  }
  return silent();
}

Result<std::vector<Value>> Lifter::loop_range(const Node& node, const std::vector<Value>& args) {
  if (args.empty() || args.size() > 3) {
    return complain(node, "`range` takes one to three integers");
  }
  for (const Value& value : args) {
    if (!value.is_number() || is_float(value.dtype)) {
      return complain(node, "`range` takes integers, got " + describe(value));
    }
  }
  const Value one = constant_of(std::int64_t{1});
  if (args.size() == 1) {
    return std::vector<Value>{constant_of(std::int64_t{0}), args[0], one};
  }
  return std::vector<Value>{args[0], args[1], args.size() == 3 ? args[2] : one};
}

Result<Value> Lifter::call_builtin(const Node& node, const std::string& name,
                                   const std::vector<Value>& args) {
  if (name == "range") {
    // num_stages= and the like are hints.
    const std::vector<Value> numbers(args.begin(),
                                     args.end() - static_cast<std::ptrdiff_t>(node.names.size()));
    WS_TRY(std::vector<Value> range, loop_range(node, numbers));
    Value made = tuple_of(std::move(range));
    made.text = "range";
    return made;
  }
  if ((name == "min" || name == "max") && args.size() == 2) {
    return zip(node, info_of(name == "max" ? Api::kMaximum : Api::kMinimum), args[0], args[1]);
  }
  if (name == "abs" && args.size() == 1) {
    return map(node, info_of(Api::kAbs), args[0]);
  }
  if (name == "len" && args.size() == 1 && args[0].kind == ValueKind::kTuple) {
    return constant_of(static_cast<std::int64_t>(args[0].items.size()));
  }
  if (name == "print") {
    return Value();
  }
  const bool to_float = name == "float";
  if ((to_float || name == "int" || name == "bool") && args.size() == 1) {
    const Value& x = args[0];
    if (to_float && x.kind == ValueKind::kText) {
      const bool infinite = x.text.ends_with("inf");
      const double size = infinite ? std::numeric_limits<double>::infinity()
                                   : std::numeric_limits<double>::quiet_NaN();
      return constant_of(x.text.starts_with("-") ? -size : size);
    }
    if (x.is_number()) {
      return x.is_constant() ? to_float ? constant_of(x.number())
                                        : constant_of(static_cast<std::int64_t>(x.number()))
                             : cast(x, to_float        ? DType::kF32
                                       : name == "int" ? DType::kI32
                                                       : DType::kBool);
    }
  }
  return complain(node, "`" + name + "` does not take these arguments in a kernel");
}

Result<Value> Lifter::call_math(const Node& node, const std::string& name,
                                const std::vector<Value>& args) {
  if (args.size() == 1 && args[0].is_constant()) {
    const double x = args[0].number();
    constexpr std::array<std::pair<std::string_view, double (*)(double)>, 5> kFunctions = {
        {{"sqrt", std::sqrt},
         {"log", std::log},
         {"log2", std::log2},
         {"exp", std::exp},
         {"exp2", std::exp2}}};
    for (const auto& [known, function] : kFunctions) {
      if (name == known) {
        return constant_of(function(x));
      }
    }
    if (name == "ceil" || name == "floor") {
      return constant_of(static_cast<std::int64_t>(name == "ceil" ? std::ceil(x) : std::floor(x)));
    }
  }
  return complain(node, "`math." + name + "` takes constants only in a kernel",
                  "use " + prefix() + name);
}

Result<Value> Lifter::call_method(const Node& node, const Value& method, std::vector<Value> args) {
  const Value& self = method.items.front();
  const std::string& name = method.text;
  if (self.kind == ValueKind::kBlock && (name == "load" || name == "store")) {
    Arguments bound;
    Value moved = self;
    if (args.empty() || args[0].kind != ValueKind::kTuple) {
      return complain(node, "`" + name + "` of a tensor descriptor takes a list of offsets");
    }
    moved.items = args[0].items;
    bound.set("pointer", moved);
    if (name == "load") {
      return pointer_load(node, moved, bound);
    }
    if (args.size() != 2) {
      return complain(node, "`store` of a tensor descriptor takes offsets and a tile");
    }
    bound.set("value", args[1]);
    return pointer_store(node, moved, bound);
  }
  if (name == "item" && self.is_tile() && count_of(self.shape) == 1) {
    std::string zeros = "0";
    for (std::size_t i = 1; i < self.shape.size(); ++i) {
      zeros += ", 0";
    }
    return number_of(self.dtype, at(self, kTight) + "[" + zeros + "]");
  }
  if (name == "item" && self.is_number()) {
    return self;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOther = {
      {{"to", "cast"}, {"astype", "astype"}}};
  std::string operation = name;
  for (const auto& [known, api] : kOther) {
    operation = name == known ? std::string(api) : operation;
  }
  const ApiInfo* info = find_api(file_.language, operation);
  const bool fits = info != nullptr && info->group != ApiGroup::kMemory &&
                    info->group != ApiGroup::kGrid && info->group != ApiGroup::kRange;
  if (!fits || (!self.is_numeric() && self.kind != ValueKind::kPointer)) {
    return complain(node, describe(self) + " has no `" + name + "`",
                    suggest(name, api_names(file_.language)));
  }
  if (self.kind == ValueKind::kPointer) {
    return self;  // ptr.to(tl.pointer_type(...)): what it points at is known.
  }
  args.insert(args.begin(), self);
  return call_api(node, *info, std::move(args));
}

Result<Value> Lifter::call_function(const Node& node, const Function& function,
                                    std::vector<Value> positional, std::vector<Value> named) {
  if (scopes_.size() > kMaxCallDepth) {
    return complain(node, "calls nest deeper than " + std::to_string(kMaxCallDepth) + ": `" +
                              function.name + "` may call itself");
  }
  if (function.open || positional.size() > function.parameters.size()) {
    return complain(node, "`" + function.name + "` takes " +
                              std::to_string(function.parameters.size()) + " arguments, got " +
                              std::to_string(positional.size()));
  }
  Scope scope{.function = &function,
              .prefix = function.name + std::to_string(++calls_) + "_",
              .names = {},
              .variables = {},
              .lost = {},
              .returned = {}};
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    const auto by_name = std::ranges::find(node.names, parameter.name);
    if (i < positional.size()) {
      scope.names[parameter.name] = positional[i];
    } else if (by_name != node.names.end()) {
      scope.names[parameter.name] = named[static_cast<std::size_t>(by_name - node.names.begin())];
    } else if (parameter.default_value != kNoNode) {
      WS_TRY(scope.names[parameter.name], eval(parameter.default_value));
    } else {
      return complain(node, "`" + function.name + "` needs `" + parameter.name + "`");
    }
  }
  const int loops = loops_;
  loops_ = 0;
  scopes_.push_back(std::move(scope));
  for (auto& [name, value] : scopes_.back().names) {
    value = kept(value, name, node.line);
  }
  const std::size_t before = result_.complaints.size();
  block(function.body);
  std::optional<Value> returned = std::move(scopes_.back().returned);
  scopes_.pop_back();
  loops_ = loops;
  if (result_.complaints.size() > before) {
    return silent();
  }
  return returned ? *returned : Value();
}

}  // namespace ws::lift::tile
