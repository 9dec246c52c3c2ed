// A problem as a definition of FlashInfer-Bench.
#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/exchange/definition.h"
#include "runtime/exchange/run_code.h"
#include "runtime/exchange/tensor_types.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// Identifiers here that Python reserves.
constexpr std::array<std::string_view, 30> kPythonWords = {
    "None",  "True",   "False",    "in",     "as",   "assert", "async",    "await",
    "break", "class",  "continue", "def",    "del",  "elif",   "except",   "finally",
    "for",   "from",   "global",   "import", "is",   "lambda", "nonlocal", "pass",
    "raise", "return", "try",      "while",  "with", "yield"};

/// Random integers of FlashInfer-Bench are from -1024 to 1023: indices need other fills.
bool is_drawn_alike(const ArgSpec& arg) {
  return is_float(arg.type) || arg.type == DType::kBool || arg.fill.kind == "normal" ||
         arg.fill.kind == "uniform";
}

class DefinitionWriter {
 public:
  explicit DefinitionWriter(const Problem& problem)
      : problem_(problem) {}

  Result<OrderedJson> write() {
    axes_ = OrderedJson::object();
    for (const DimSpec& dim : problem_.dims) {
      const bool fixed = !dim.open && dim.values.size() == 1;
      axes_[dim.name] =
          fixed ? OrderedJson{{"type", "const"}, {"value", dim.values.front()}} : variable();
    }
    WS_TRY(const OrderedJson inputs, tensors(Role::kIn));
    WS_TRY(const OrderedJson outputs, tensors(Role::kOut));
    WS_CHECK(check_bound());
    WS_TRY(const std::string reference, with_run(problem_));
    for (const std::string& valid : problem_.valid) {
      constraints_.push_back(valid);
    }
    return OrderedJson{
        {"name", problem_.name},  {"op_type", problem_.op.empty() ? problem_.name : problem_.op},
        {"axes", axes_},          {"inputs", inputs},
        {"outputs", outputs},     {"constraints", constraints_},
        {"reference", reference}, {kOwnField, {{"problem", OrderedJson::parse(problem_.json)}}}};
  }

  /// The axes that stand for expressions, with their texts.
  [[nodiscard]] const std::map<std::string, std::string>& made() const { return made_; }

 private:
  static OrderedJson variable() { return {{"type", "var"}}; }

  Result<OrderedJson> tensors(Role side) {
    OrderedJson all = OrderedJson::object();
    for (const ArgSpec& arg : problem_.args) {
      if ((arg.role == Role::kOut) != (side == Role::kOut)) {
        continue;
      }
      WS_CHECK(check_expressible(arg));
      WS_TRY(const std::string word, tensor_word(arg.type, "`" + arg.name + "`"));
      OrderedJson shape;
      if (arg.role != Role::kScalar) {
        WS_TRY(shape, shape_names(arg));
      }
      all[arg.name] = {{"shape", shape}, {"dtype", word}};
    }
    return all;
  }

  [[nodiscard]] static Status check_expressible(const ArgSpec& arg) {
    const auto refuse = [&arg](const std::string& why) {
      return fail(ErrorCode::kUnsupported, "`" + arg.name + "` " + why);
    };
    if (std::ranges::find(kPythonWords, arg.name) != kPythonWords.end()) {
      return refuse("is a word of Python, and arguments of a definition are names there");
    }
    if (arg.role == Role::kInout) {
      return refuse("is read and written, and a definition has inputs and outputs only");
    }
    if (arg.strides) {
      return refuse("has strides, and tensors of a definition have none");
    }
    if (arg.unordered) {
      return refuse("has rows in any order, and FlashInfer-Bench compares element by element");
    }
    if (arg.role == Role::kIn && !is_drawn_alike(arg)) {
      return refuse("is filled `" + arg.fill.kind +
                    "`, and FlashInfer-Bench draws integers from -1024 to 1023");
    }
    return {};
  }

  Result<OrderedJson> shape_names(const ArgSpec& arg) {
    OrderedJson names = OrderedJson::array();
    for (std::size_t i = 0; i < arg.shape.size(); ++i) {
      WS_TRY(const std::string name, axis_of(arg, i));
      names.push_back(name);
    }
    return names;
  }

  /// The axis of an extent, made where there is none.
  Result<std::string> axis_of(const ArgSpec& arg, std::size_t index) {
    const std::string& extent = arg.shape[index];
    if (axes_.contains(extent)) {
      return extent;
    }
    const auto known = std::ranges::find(
        made_, extent, [](const auto& each) { return std::string_view(each.second); });
    if (known != made_.end()) {
      return known->first;
    }
    const Result<std::int64_t> number = eval_expr(extent, {});
    if (!number && arg.role == Role::kOut) {
      return fail(ErrorCode::kUnsupported, "`" + arg.name + "` has the extent `" + extent +
                                               "`, and axes of an output are those of inputs");
    }
    std::string name = number ? "size_" + extent : arg.name + "_" + std::to_string(index);
    while (axes_.contains(name)) {
      name += "_";
    }
    axes_[name] = number ? OrderedJson{{"type", "const"}, {"value", *number}} : variable();
    if (!number) {
      constraints_.push_back(name + " == " + extent);
    }
    made_[name] = extent;
    return name;
  }

  /// Sizes of variable axes are read from the inputs.
  [[nodiscard]] Status check_bound() const {
    for (const auto& [name, axis] : axes_.items()) {
      const bool bound = std::ranges::any_of(problem_.args, [&](const ArgSpec& arg) {
        return arg.role == Role::kIn && std::ranges::find(arg.shape, name) != arg.shape.end();
      });
      if (axis == variable() && !bound && !made_.contains(name)) {
        return fail(ErrorCode::kUnsupported,
                    "dim `" + name + "` is the extent of no input, where axes are read from");
      }
    }
    return {};
  }

  const Problem& problem_;
  OrderedJson axes_;
  OrderedJson constraints_ = OrderedJson::array();
  std::map<std::string, std::string> made_;
};

}  // namespace

Result<OrderedJson> definition_of(const Problem& problem) {
  return DefinitionWriter(problem).write();
}

Result<OrderedJson> workload_of(const Problem& problem, const Workload& workload) {
  DefinitionWriter writer(problem);
  WS_TRY(const OrderedJson definition, writer.write());
  const Bindings bindings = bindings_of(problem, workload);
  OrderedJson axes = OrderedJson::object();
  for (const auto& [name, axis] : definition["axes"].items()) {
    if (axis["type"] == "var") {
      const auto made = writer.made().find(name);
      WS_TRY(axes[name], eval_expr(made == writer.made().end() ? name : made->second, bindings));
    }
  }
  OrderedJson inputs = OrderedJson::object();
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kIn) {
      inputs[arg.name] = {{"type", "random"}};
    } else if (arg.role == Role::kScalar) {
      const double value = workload.scalars.at(arg.name);
      inputs[arg.name] = {{"type", "scalar"}, {"value", OrderedJson()}};
      inputs[arg.name]["value"] =
          is_float(arg.type) ? OrderedJson(value) : OrderedJson(static_cast<std::int64_t>(value));
    }
  }
  constexpr std::size_t kUuidDigits = 32;
  const std::string uuid = sha256_hex(problem.id + axes.dump() + inputs.dump());
  return OrderedJson{{"axes", axes}, {"inputs", inputs}, {"uuid", uuid.substr(0, kUuidDigits)}};
}

}  // namespace ws
