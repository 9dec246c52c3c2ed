#include "runtime/lift/input.h"

#include <algorithm>
#include <span>

#include "runtime/base/processor_time.h"
#include "runtime/base/text.h"
#include "runtime/ir/syntax/reserved.h"
#include "runtime/ir/syntax/tree_builder.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/plan/plan.h"

namespace ws::lift {
namespace {

bool is_function(std::string_view word) {
  const std::span<const ExprFunction> all = expr_functions();
  return std::any_of(all.begin(), all.end(),
                     [&](const ExprFunction& row) { return row.name == word; });
}

/// Sums, differences and products of names and numbers, with parentheses.
class PolyParser {
 public:
  PolyParser(std::string_view text, const Params& params, Symbols& symbols)
      : text_(text),
        params_(params),
        symbols_(symbols) {}

  /// nothing for any other expression.
  std::optional<Poly> parse() {
    std::optional<Poly> poly = sum();
    return poly && next() == '\0' ? poly : std::nullopt;
  }

 private:
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::optional<Poly> sum() {
    std::optional<Poly> left = product();
    for (char c = next(); left && (c == '+' || c == '-'); c = next()) {
      ++at_;
      const std::optional<Poly> right = product();
      left = right ? std::optional(left->plus(*right, c == '+' ? 1 : -1)) : std::nullopt;
    }
    return left;
  }

  std::optional<Poly> product() {
    std::optional<Poly> left = atom();
    while (left && next() == '*') {
      ++at_;
      const std::optional<Poly> right = atom();
      left = right ? std::optional(left->times(*right)) : std::nullopt;
    }
    return left;
  }

  std::optional<Poly> atom() {
    if (next() == '(' && depth_ < kMaxExprDepth) {
      ++at_;
      ++depth_;
      std::optional<Poly> inner = sum();
      const bool closed = next() == ')';
      ++at_;
      return closed ? inner : std::nullopt;
    }
    const std::size_t from = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    const std::string word(text_.substr(from, at_ - from));
    if (const Result<std::int64_t> number = eval_expr(word, params_); number) {
      return Poly(*number);
    }
    return is_identifier(word)
               ? std::optional(Poly::of(symbols_.intern("self." + ir::free_name(word))))
               : std::nullopt;
  }

  const std::string_view text_;
  const Params& params_;
  Symbols& symbols_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Status TimeBudget::left() const {
  if (stop.stop_requested()) {
    return fail(ErrorCode::kCancelled, "the lift was cancelled");
  }
  return thread_processor_time() < until
             ? Status()
             : fail(ErrorCode::kTimeout, "the kernel takes too long to lift");
}

// Names are few: a table would not be faster.
SymbolId Symbols::intern(const std::string& text) {
  const auto at = std::find(texts_.begin(), texts_.end(), text);
  if (at == texts_.end()) {
    texts_.push_back(text);
    return static_cast<SymbolId>(texts_.size()) - 1;
  }
  return static_cast<SymbolId>(at - texts_.begin());
}

std::vector<PolyPart> parts_of(const Poly& poly) {
  std::vector<PolyPart> parts;
  for (const auto& [monomial, lanes] : poly.terms()) {
    const bool negative = lanes.front() < 0;
    const auto factor = static_cast<std::uint64_t>(lanes.front());
    parts.push_back({monomial, negative ? 0 - factor : factor, negative});
  }
  std::stable_partition(parts.begin(), parts.end(),
                        [](const PolyPart& part) { return !part.symbols.empty(); });
  return parts;
}

std::string Symbols::text_of(const Poly& poly) const {
  std::string made;
  for (const PolyPart& part : parts_of(poly)) {
    made += made.empty() ? (part.negative ? "-" : "") : part.negative ? " - " : " + ";
    std::string factors;
    for (const SymbolId symbol : part.symbols) {
      factors += (factors.empty() ? "" : " * ") + text(symbol);
    }
    const std::string size = std::to_string(part.size);
    made += factors.empty() ? size : factors + (part.size == 1 ? "" : " * " + size);
  }
  return made.empty() ? "0" : made;
}

std::string expression_text(const std::string& text, const Params& params,
                            const std::string& prefix) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      made += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    const std::string word = text.substr(at, end - at);
    const auto param = params.find(word);
    if (param != params.end()) {
      made += std::to_string(param->second);
    } else {
      const bool name = is_identifier(word) && !is_function(word);
      made += name ? prefix + ir::free_name(word) : word;
    }
    at = end;
  }
  return made;
}

Result<Poly> poly_of(const std::string& text, const Params& params, Symbols& symbols) {
  WS_TRY(const Expr expr, parse_expr(text));
  if (const Result<std::int64_t> number = expr.eval(params); number) {
    return Poly(*number);
  }
  if (std::optional<Poly> poly = PolyParser(text, params, symbols).parse()) {
    return *poly;
  }
  return Poly::of(symbols.intern("(" + expression_text(text, params, "self.") + ")"));
}

namespace {

Result<Argument> argument_of(const LaunchArgSpec& spec, const Problem& problem,
                             const LaunchInput& input, const Params& params, Symbols& symbols) {
  Argument argument;
  argument.text = spec.name.empty() ? spec.value : spec.name;
  const auto tensor = std::find_if(
      input.tensors.begin(), input.tensors.end(),
      [&](const TensorInput& candidate) { return candidate.name == ir::free_name(spec.name); });
  const ArgSpec* const scalar = problem.find_arg(spec.name);
  if (spec.kind == LaunchArgSpec::Kind::kNull || spec.kind == LaunchArgSpec::Kind::kStruct ||
      spec.kind == LaunchArgSpec::Kind::kTexture) {
    return argument;
  }
  if (tensor != input.tensors.end() && spec.kind != LaunchArgSpec::Kind::kValue) {
    argument.kind = Argument::Kind::kTensor;
    argument.tensor = static_cast<std::size_t>(tensor - input.tensors.begin());
    WS_TRY(argument.integer, poly_of(spec.offset.empty() ? "0" : spec.offset, params, symbols));
    return argument;
  }
  if (spec.kind == LaunchArgSpec::Kind::kName && scalar != nullptr && is_float(scalar->type)) {
    argument.kind = Argument::Kind::kFloat;
    argument.text = "self." + ir::free_name(spec.name);
    return argument;
  }
  const bool value = spec.kind == LaunchArgSpec::Kind::kValue;
  Result<Poly> integer = poly_of(value ? spec.value : spec.name, params, symbols);
  if (!integer || (value && is_float(spec.type))) {
    return argument;
  }
  argument.kind = Argument::Kind::kInteger;
  argument.integer = *std::move(integer);
  return argument;
}

Status add_tensors(const Problem& problem, const Kernel& kernel, const Params& params,
                   Symbols& symbols, LaunchInput& input) {
  const auto shape_of = [&](const std::vector<std::string>& texts) -> Result<std::vector<Poly>> {
    std::vector<Poly> shape;
    for (const std::string& text : texts) {
      WS_TRY(Poly extent, poly_of(text, params, symbols));
      shape.push_back(std::move(extent));
    }
    if (shape.empty()) {
      shape.emplace_back(1);
    }
    return shape;
  };
  for (const ArgSpec& arg : problem.args) {
    input.names.push_back(ir::free_name(arg.name));
    if (arg.role == Role::kScalar) {
      continue;
    }
    if (arg.strides) {
      return fail(ErrorCode::kUnsupported, "`" + arg.name + "` has strides of its own",
                  "CuIR's tensors are row-major and contiguous");
    }
    WS_TRY(std::vector<Poly> shape, shape_of(arg.shape));
    input.tensors.push_back({input.names.back(), arg.type, std::move(shape), false});
  }
  for (const ScratchSpec& scratch : kernel.scratch) {
    WS_TRY(std::vector<Poly> shape, shape_of(scratch.shape));
    input.names.push_back(ir::free_name(scratch.name));
    input.tensors.push_back({input.names.back(), scratch.type, std::move(shape), true});
  }
  for (const DimSpec& dim : problem.dims) {
    input.names.push_back(ir::free_name(dim.name));
  }
  return {};
}

/// Columns of a matrix by steps along a map's dimensions, 0 for the one that goes through its rows;
/// empty: the map is another view.
std::vector<std::int64_t> columns_of(const TensorMapSpec& spec, const TensorInput& tensor,
                                     const Params& params, Symbols& symbols) {
  if (!spec.strides || tensor.shape.size() != 2 || spec.element_strides || spec.type) {
    return {};
  }
  const auto bytes = static_cast<std::int64_t>(size_of(tensor.type));
  std::vector<std::int64_t> columns = {1};
  if (!spec.shape || spec.shape->empty()) {
    return {};
  }
  const Result<Poly> width = poly_of(spec.shape->front(), params, symbols);
  bool rows = false;
  for (const std::string& text : *spec.strides) {
    const Result<Poly> stride = poly_of(text, params, symbols);
    const std::optional<Poly> step = stride ? stride->exact_quotient(bytes) : std::optional<Poly>();
    if (step && !rows && *step == tensor.shape[1]) {
      rows = true;
      columns.push_back(0);
    } else if (step && step->number().value_or(0) > 0) {
      columns.push_back(*step->number());
    } else {
      return {};
    }
  }
  // A copy ends where the map does: that has to be the end of a panel.
  const bool panels = std::any_of(columns.begin() + 1, columns.end(), [&](std::int64_t step) {
    return step > 0 && !(width && width->number() == step);
  });
  return rows && !panels ? columns : std::vector<std::int64_t>();
}

/// Other views of a tensor than by panels are left out: copies by them are not understood.
void add_maps(const Kernel& kernel, const ResolvedPlan& plan, const Params& params,
              Symbols& symbols, LaunchInput& input) {
  constexpr std::array<const char*, 4> kSwizzles = {"", "32B", "64B", "128B"};
  for (const TensorMapSpec& spec : kernel.tensor_maps) {
    const auto map = std::find_if(plan.tensor_maps.begin(), plan.tensor_maps.end(),
                                  [&](const TensorMap& row) { return row.name == spec.name; });
    const auto tensor =
        std::find_if(input.tensors.begin(), input.tensors.end(),
                     [&](const TensorInput& row) { return row.name == ir::free_name(spec.of); });
    if (map == plan.tensor_maps.end() || tensor == input.tensors.end() ||
        map->modes.swizzle >= kSwizzles.size()) {
      continue;
    }
    const bool view = spec.shape || spec.strides || spec.element_strides || spec.type;
    std::vector<std::int64_t> columns =
        view ? columns_of(spec, *tensor, params, symbols) : std::vector<std::int64_t>();
    if (view && columns.size() != map->box.size()) {
      continue;
    }
    input.maps.push_back({spec.name,
                          static_cast<std::size_t>(tensor - input.tensors.begin()),
                          {map->box.begin(), map->box.end()},
                          kSwizzles[map->modes.swizzle],
                          std::move(columns)});
  }
}

}  // namespace

Result<LaunchInput> launch_input(const Problem& problem, const Kernel& kernel,
                                 const Workload& workload, const Params& params, std::size_t index,
                                 Symbols& symbols) {
  WS_TRY(const ResolvedPlan plan, resolve_plan(problem, kernel, workload, params));
  const LaunchSpec& launch = kernel.launches[index];
  if (!launch.repeats.empty() || plan.steps.size() != kernel.launches.size()) {
    return fail(ErrorCode::kUnsupported, "the plan repeats launch " + std::to_string(index),
                "a CuIR program is one launch");
  }
  LaunchInput input;
  input.block = plan.steps[index].block;
  input.cluster = plan.steps[index].cluster;
  input.shared_bytes = plan.steps[index].shared_bytes;
  ir::TreeBuilder tree;
  std::vector<ir::ExprId> grid;
  for (std::size_t i = 0; i < launch.grid.size() && i < input.grid.size(); ++i) {
    input.grid[i] = expression_text(launch.grid[i], params, "");
    grid.push_back(tree.parsed(input.grid[i]));
  }
  if (!ir::TreeBuilder::check(tree.tuple(std::move(grid)))) {
    return fail(ErrorCode::kUnsupported,
                "the grid of launch " + std::to_string(index) + " is no expression of CuIR",
                "it may be nested too deep, or have too many terms");
  }
  // Dims that are compiled in are numbers, as parameters are.
  Params fixed = params;
  for (const std::string& dim : kernel.specialize) {
    if (const auto value = workload.dims.find(dim); value != workload.dims.end()) {
      fixed[dim] = value->second;
    }
  }
  WS_CHECK(add_tensors(problem, kernel, fixed, symbols, input));
  add_maps(kernel, plan, fixed, symbols, input);
  for (const LaunchArgSpec& spec : launch.args) {
    WS_TRY(Argument argument, argument_of(spec, problem, input, params, symbols));
    input.args.push_back(std::move(argument));
  }
  return input;
}

std::string array_name(const LaunchInput& input, const std::string& declared) {
  return declared +
         (std::ranges::find(input.names, declared) != input.names.end() ? "_shared" : "");
}

}  // namespace ws::lift
