#include "runtime/lift/tile/lifter.h"

#include <algorithm>

#include "runtime/base/nearest.h"

namespace ws::lift::tile {
namespace {

constexpr std::size_t kMaxComplaints = 10;
/// So that the stack of a thread has room.
constexpr int kMaxNested = 500;

bool names_word_within(const File& file, NodeId id, std::string_view word, int& budget) {
  if (id == kNoNode || --budget < 0) {
    return false;
  }
  const Node& node = file.node(id);
  if (node.text == word) {
    return true;
  }
  if (node.kind == NodeKind::kName) {
    const auto constant = file.constants.find(node.text);
    const auto module = file.modules.find(node.text);
    return (constant != file.constants.end() && names_word_within(file, constant->second, word, budget)) ||
           (module != file.modules.end() && module->second.ends_with("." + std::string(word)));
  }
  return std::ranges::any_of(
      node.kids, [&](NodeId kid) { return names_word_within(file, kid, word, budget); });
}

/// Whether an annotation or decorator names `word` somewhere: `tl.constexpr`, `ct.Constant[int]`.
/// Names of the file stand for their values, and may stand for each other.
bool names_word(const File& file, NodeId id, std::string_view word) {
  int budget = 1000;
  return names_word_within(file, id, word, budget);
}

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

std::string name_of_class(const std::string& entry) {
  std::string name;
  bool upper = true;
  for (const char c : entry) {
    if (c == '_') {
      upper = true;
    } else {
      name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return name.empty() ? "Kernel" : name;
}

}  // namespace

const Value* Arguments::find(std::string_view name) const {
  const auto at =
      std::ranges::find_if(values_, [&](const auto& each) { return each.first == name; });
  return at == values_.end() || at->second.kind == ValueKind::kNone ? nullptr : &at->second;
}

tl::unexpected<Error> Lifter::silent() {
  return fail(ErrorCode::kCancelled, "");
}

tl::unexpected<Error> Lifter::complain(const Node& node, std::string message, std::string hint) {
  if (result_.complaints.size() < kMaxComplaints) {
    result_.complaints.push_back({node.line, node.column, std::move(message), std::move(hint)});
  }
  return silent();
}

Status Lifter::count_steps(const Node& node, std::size_t steps) {
  if (stopped()) {
    return silent();
  }
  steps_ += steps;
  return stopped() ? Status(complain(node,
                                     "the kernel is too large when its calls and loops of "
                                     "constants are written out: more than " +
                                         std::to_string(kMaxSteps) + " steps",
                                     "use loops over `range`"))
                   : Status();
}

Status Lifter::go_deeper(const Node& node) {
  if (nested_ == kMaxNested) {
    return complain(node, "expressions, branches and the calls in them nest deeper than " +
                              std::to_string(kMaxNested));
  }
  ++nested_;
  return {};
}

std::string Lifter::spelled(Api api) const {
  return prefix() + info_of(api).spelling(file_.language).name;
}

void Lifter::emit(const std::string& text, int line) {
  if (writer_.count() == kMaxStatements) {
    Node node;
    node.line = line;
    static_cast<void>(complain(node, "the kernel has more than " + std::to_string(kMaxStatements) +
                                         " statements when its calls are written out"));
  }
  if (writer_.count() < kMaxStatements) {
    writer_.line(text, line);
  }
}

Lifted Lifter::run() {
  const Function* function = file_.find(launch_.entry);
  Node place;
  if (function == nullptr) {
    std::vector<std::string> known;
    for (const Function& each : file_.functions) {
      known.push_back(each.name);
    }
    static_cast<void>(complain(place, "the source has no function `" + launch_.entry + "`",
                               suggest(launch_.entry, known)));
    return std::move(result_);
  }
  place.line = function->line;
  const std::string_view decorator = decorator_of(file_.language);
  const bool decorated =
      decorator.empty() || std::ranges::any_of(function->decorators, [&](NodeId id) {
        return names_word(file_, id, decorator);
      });
  if (!decorated) {
    static_cast<void>(
        complain(place, "`" + function->name + "` is not a kernel",
                 "write " + std::string(triton() ? "@triton.jit" : "@ct.kernel") + " above it"));
    return std::move(result_);
  }
  scopes_.push_back({.function = function,
                     .prefix = {},
                     .names = {},
                     .variables = {},
                     .lost = {},
                     .returned = {}});
  bind_parameters(*function);
  if (result_.complaints.empty()) {
    block(function->body);
  }
  if (!result_.complaints.empty()) {
    return std::move(result_);
  }
  head_.name = name_of_class(launch_.entry);
  const auto& [x, y, z] = launch_.grid;
  head_.grid = "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
  Writer::Text text = writer_.finish(head_);
  made_.program = std::move(text.program);
  made_.lines = std::move(text.sources);
  result_.launch = std::move(made_);
  return std::move(result_);
}

bool Lifter::is_constant_parameter(const Parameter& parameter) const {
  if (julia()) {
    // `::Int` is what ct.Constant(64) is at the launch; numbers of the run are `::Int32`. A buffer
    // is no constant, whatever stands there.
    if (parameter.annotation == kNoNode) {
      return true;
    }
    const Node* type = &file_.node(parameter.annotation);
    type = type->kind == NodeKind::kIndex ? &file_.node(type->kids.front()) : type;
    return type->text == "Int" || type->text == "Bool" || type->text == "Constant";
  }
  return names_word(file_, parameter.annotation, triton() ? "constexpr" : "Constant");
}

void Lifter::bind_parameters(const Function& function) {
  Node place;
  place.line = function.line;
  const std::size_t count = function.parameters.size();
  if (function.open || launch_.args.size() > count) {
    static_cast<void>(complain(place,
                               function.open
                                   ? "`" + function.name + "` takes any number of arguments"
                                   : "the launch passes " + std::to_string(launch_.args.size()) +
                                         " arguments, `" + function.name + "` takes " +
                                         std::to_string(count) + ": " + parameter_names(function),
                               "list the parameters, and pass them in this order"));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Parameter& parameter = function.parameters[i];
    const bool constant = is_constant_parameter(parameter);
    if (i < launch_.args.size()) {
      const TileArg& arg = launch_.args[i];
      const bool tensor = arg.kind == TileArg::Kind::kTensor || arg.kind == TileArg::Kind::kNull;
      result_.parameters.push_back(
          {parameter.name,
           constant ? "constexpr" : (tensor ? "*" : "") + std::string(ws::name_of(arg.type)),
           tensor, arg.kind == TileArg::Kind::kInteger});
      const Value value = parameter_value(function, i, arg);
      scopes_.back().names[parameter.name] = value;
      bind_type_name(parameter, value);
    } else if (parameter.default_value != kNoNode) {
      const Result<Value> value = eval(parameter.default_value);
      scopes_.back().names[parameter.name] = value ? *value : unknown_value();
    } else {
      place.line = parameter.line;
      static_cast<void>(complain(place,
                                 "the launch passes no argument for `" + parameter.name + "`: `" +
                                     function.name + "` takes " + parameter_names(function),
                                 "add it to the launch's args; a constant too, as {\"value\": "
                                 "\"64\", \"type\": \"i32\"} or the name of a parameter or dim"));
    }
  }
}

void Lifter::bind_type_name(const Parameter& parameter, const Value& value) {
  if (parameter.annotation == kNoNode || value.kind != ValueKind::kArray) {
    return;
  }
  const Node& annotation = file_.node(parameter.annotation);
  if (annotation.kind == NodeKind::kIndex && annotation.text == "{" && annotation.kids.size() > 1) {
    const Node& type = file_.node(annotation.kids[1]);
    if (type.kind == NodeKind::kName) {
      scopes_.back().names.emplace(type.text, type_of(value.dtype));
    }
  }
}

Value Lifter::parameter_value(const Function& function, std::size_t index, const TileArg& arg) {
  const Parameter& parameter = function.parameters[index];
  const bool constant = is_constant_parameter(parameter);
  switch (arg.kind) {
    case TileArg::Kind::kNull:
      return {};
    case TileArg::Kind::kTensor:
      if (constant && parameter.annotation != kNoNode) {
        Node place;
        place.line = parameter.line;
        static_cast<void>(complain(place,
                                   "`" + parameter.name +
                                       "` is a constant, and the launch passes `" + arg.name +
                                       "`, a buffer",
                                   "pass the arguments in the order of the parameters"));
        return {};
      }
      return tensor_value(arg, index);
    case TileArg::Kind::kInteger:
    case TileArg::Kind::kFloat:
      break;
  }
  const bool whole = arg.kind == TileArg::Kind::kInteger;
  const std::string name = variable(parameter.name);
  if (constant) {
    const bool truth = arg.type == DType::kBool || names_word(file_, parameter.annotation, "Bool");
    Value value = !whole  ? constant_of(std::stod(arg.number))
                  : truth ? truth_of(arg.value != 0)
                          : constant_of(arg.value);
    head_.constants.push_back(name + " = " + value.text);
    value.text = name;
    value.precedence = kTight;
    return value;
  }
  made_.scalars.push_back({name, index});
  const Value given = whole ? constant_of(arg.value) : constant_of(std::stod(arg.number));
  head_.numbers.push_back(name + "=" + given.text);
  return number_of(arg.type, "self." + name);
}

std::size_t Lifter::tensor_of(const TileArg& arg, std::size_t index) {
  const auto known = std::ranges::find(buffers_, arg.name);
  if (known != buffers_.end()) {
    return static_cast<std::size_t>(known - buffers_.begin());
  }
  // A pointer knows nothing of shapes: the program sees all elements in one row.
  ProgramTensor tensor{writer_.take(arg.name), index,
                       triton() ? Shape{std::max<std::int64_t>(arg.span, 1)} : arg.shape};
  head_.parameters.push_back(tensor.name);
  made_.tensors.push_back(std::move(tensor));
  buffers_.push_back(arg.name);
  return buffers_.size() - 1;
}

Value Lifter::tensor_value(const TileArg& arg, std::size_t index) {
  Value value;
  value.kind = triton() ? ValueKind::kPointer : ValueKind::kArray;
  value.dtype = arg.type;
  value.tensor = static_cast<int>(tensor_of(arg, index));
  if (triton()) {
    value.text = std::to_string(arg.value);
    value.precedence = kTight;
    value.integer = arg.value;
  } else {
    value.shape = arg.shape;
    value.text = "self." + made_.tensors[static_cast<std::size_t>(value.tensor)].name;
    value.precedence = kTight;
  }
  return value;
}

std::string Lifter::variable(const std::string& name) {
  return writer_.take(scopes_.back().prefix + name);
}

Lifted lift_launch(const File& file, const TileLaunch& launch) {
  return Lifter(file, launch).run();
}

}  // namespace ws::lift::tile
