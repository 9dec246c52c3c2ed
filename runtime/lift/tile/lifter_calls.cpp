// Calls: of operations by api.def, of functions of the file, and of Python's own.
#include <algorithm>
#include <array>

#include "runtime/base/nearest.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

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
  WS_TRY(std::vector<Value> args, eval_all(std::span(node.kids).subspan(1)));
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
    WS_CHECK(check_single(node, *function));
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
      info = by_elements(node, *info, args);
      WS_CHECK(check_dot(node, *info, args));
    }
    return call_api(node, *info, std::move(args));
  }
  if (name) {
    return complain(node, "`" + prefix() + *name + "` is not known here",
                    suggest(*name, api_names(file_.language)));
  }
  WS_CHECK(check_sent(node, callee));
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
      if (args[i].kind == ValueKind::kTuple) {
        bound.set(spelling.parameters[next++], std::move(args[i]));
        continue;
      }
      bound.set(spelling.parameters[next],
                tuple_of({args.begin() + static_cast<std::ptrdiff_t>(i),
                          args.begin() + static_cast<std::ptrdiff_t>(positional)}));
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
      const Value* bits = args.find("bitcast");
      return dtype == nullptr || x == nullptr
                 ? Result<Value>(complain(node, "`" + spelled(Api::kCast) + "` needs `dtype`"))
             : bits != nullptr && bits->number() != 0 ? convert_bits(node, *x, *dtype)
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
    case ApiGroup::kRandom:
      return random(node, info, args);
    case ApiGroup::kRange:
      return range_of(node, info, args);
    case ApiGroup::kIdentity:
      return args.first();
    case ApiGroup::kNothing:
      return info.api == Api::kStaticAssert ? static_assertion(node, info, args)
                                            : Result<Value>(Value());
  }
  return silent();
}

Result<Value> Lifter::range_of(const Node& node, const ApiInfo& info, const Arguments& args) {
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
  const bool known =
      std::ranges::all_of(made.items, [](const Value& item) { return item.integer.has_value(); });
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

Result<Value> Lifter::static_assertion(const Node& node, const ApiInfo& info,
                                       const Arguments& args) {
  const auto& parameters = info.spelling(file_.language).parameters;
  const Value* condition = args.find(parameters[0]);
  const Value* message = args.find(parameters[1]);
  const std::string call = "`" + spelled(Api::kStaticAssert) + "`";
  if (condition == nullptr || !condition->is_constant()) {
    return complain(node, call + " takes a constant, got " +
                              (condition == nullptr ? "nothing" : describe(*condition)));
  }
  if (condition->number() == 0) {
    return complain(node, call + " failed" +
                              (message == nullptr || message->text.empty() ? std::string()
                                                                           : ": " + message->text));
  }
  return Value();
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

}  // namespace ws::lift::tile
