// Functions of the file, and Python's own.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/lift/tile/lifter.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxCallDepth = 16;

}  // namespace

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
  const bool loads = name == "load";
  if (triton() && (loads || name == "store")) {
    if (args.size() != (loads ? 1 : 2)) {
      return complain(node, loads ? "`load` of a tensor descriptor takes offsets"
                                  : "`store` of a tensor descriptor takes offsets and a tile");
    }
    return at_offsets(node, self, args.data(), loads ? nullptr : &args[1]);
  }
  if (name == "slice" && self.kind == ValueKind::kArray && !julia()) {
    args.insert(args.begin(), self);
    return call_api(node, info_of(Api::kSliceArray), std::move(args));
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

Status Lifter::check_single(const Node& node, const Function& function) {
  std::string lines;
  for (const Function& each : file_.functions) {
    if (each.name == function.name) {
      lines += (lines.empty() ? "" : " and ") + std::to_string(each.line);
    }
  }
  if (!julia() || lines.find(' ') == std::string::npos) {
    return {};
  }
  return complain(node, "`" + function.name + "` is defined more than once: lines " + lines,
                  "give each method a name of its own");
}

Result<std::map<std::string, Value>> Lifter::bind_function(const Node& node,
                                                           const Function& function,
                                                           std::vector<Value> positional,
                                                           std::vector<Value> named) {
  if (function.open || positional.size() > function.parameters.size()) {
    return complain(node, "`" + function.name + "` takes " +
                              std::to_string(function.parameters.size()) + " arguments, got " +
                              std::to_string(positional.size()));
  }
  std::map<std::string, Value> bound;
  std::vector<std::string> known;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    known.push_back(function.parameters[i].name);
    if (i < positional.size()) {
      bound[known.back()] = positional[i];
    }
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::string& name = node.names[i];
    if (std::ranges::find(known, name) == known.end()) {
      return complain(node, "`" + function.name + "` has no parameter `" + name + "`",
                      suggest(name, known));
    }
    if (!bound.emplace(name, named[i]).second) {
      return complain(node, "`" + function.name + "` gets `" + name + "` twice");
    }
  }
  return bound;
}

Result<Value> Lifter::call_function(const Node& node, const Function& function,
                                    std::vector<Value> positional, std::vector<Value> named) {
  if (scopes_.size() > kMaxCallDepth) {
    return complain(node, "calls nest deeper than " + std::to_string(kMaxCallDepth) + ": `" +
                              function.name + "` may call itself");
  }
  WS_TRY(auto bound, bind_function(node, function, std::move(positional), std::move(named)));
  // A function of another file has no lines in the source: its statements get the call's.
  const int caller = scopes_.back().called_at;
  const int called_at = function.unit == 0 ? 0 : caller == 0 ? node.line : caller;
  scopes_.push_back({.function = &function,
                     .prefix = function.name + std::to_string(++calls_) + "_",
                     .names = std::move(bound),
                     .variables = {},
                     .lost = {},
                     .called_at = called_at,
                     .returned = {}});
  Result<Value> returned = run_function(node, function);
  scopes_.pop_back();
  return returned;
}

// Julia's may use the parameters before it.
Result<Value> Lifter::default_of(const Parameter& parameter) {
  return julia() ? eval(parameter.default_value) : eval_in_file(parameter.default_value);
}

Result<Value> Lifter::run_function(const Node& node, const Function& function) {
  for (const Parameter& parameter : function.parameters) {
    if (scopes_.back().names.contains(parameter.name)) {
      continue;
    }
    if (parameter.default_value == kNoNode) {
      return complain(node, "`" + function.name + "` needs `" + parameter.name + "`");
    }
    WS_TRY(Value value, default_of(parameter));
    scopes_.back().names[parameter.name] = std::move(value);
  }
  for (auto& [name, value] : scopes_.back().names) {
    value = kept(value, name, node.line);
  }
  const int loops = std::exchange(loops_, 0);
  const std::size_t before = result_.complaints.size();
  if (julia()) {
    find_results(function.body, scopes_.back().results);
  }
  scopes_.back().tail = &function.body;
  block(function.body);
  loops_ = loops;
  if (result_.complaints.size() > before) {
    return silent();
  }
  return scopes_.back().returned.value_or(Value());
}

void Lifter::find_results(const std::vector<NodeId>& body, std::set<const Node*>& results) const {
  if (body.empty()) {
    return;
  }
  const Node& last = file_.node(body.back());
  if (last.kind == NodeKind::kIf) {
    find_results(last.body, results);
    find_results(last.other, results);
  } else if (last.kind == NodeKind::kExpression) {
    results.insert(&last);
  }
}

}  // namespace ws::lift::tile
