#include "runtime/handover/t1_writer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/handover/t1_arguments.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kAxisLetters = {"X", "Y", "Z"};
constexpr std::array<const char*, 3> kBlockNames = {"block_size_x", "block_size_y", "block_size_z"};

class T1Writer {
 public:
  explicit T1Writer(const Handover& handover)
      : handover_(handover),
        kernel_(handover.kernel),
        params_(handover.params),
        sizes_(bindings_of(handover.problem, handover.workload)) {}

  Result<OrderedJson> write() {
    WS_CHECK(check_plan());
    const LaunchSpec& launch = kernel_.launches.front();
    for (const auto& [name, values] : kernel_.params) {
      add_parameter(name, values, params_.at(name));
    }
    for (const std::string& constraint : kernel_.constraints) {
      WS_CHECK(add_condition(constraint));
    }
    spec_ = {{"Language", "CUDA"},
             {"CompilerOptions", compiler_options()},
             {"KernelName", launch.entry},
             {"KernelFile", "kernel.cu"},
             {"GlobalSizeType", "CUDA"},
             {"GlobalSize", OrderedJson::object()},
             {"LocalSize", OrderedJson::object()}};
    WS_CHECK(write_grid(launch));
    WS_TRY(const std::int64_t shared,
           t1_number(kernel_, sizes_, launch.shared_bytes, "its shared memory"));
    spec_["SharedMemory"] = shared;
    spec_["Arguments"] = OrderedJson::array();
    for (const LaunchArgSpec& arg : launch.args) {
      WS_TRY(OrderedJson argument, t1_argument(handover_, sizes_, arg));
      spec_["Arguments"].push_back(std::move(argument));
    }
    return OrderedJson{
        {"General", {{"FormatVersion", 1}, {"OutputFormat", "JSON"}}},
        {"ConfigurationSpace", {{"TuningParameters", parameters_}, {"Conditions", conditions_}}},
        {"Search", {{"Name", "brute_force"}}},
        {"KernelSpecification", spec_}};
  }

 private:
  [[nodiscard]] tl::unexpected<Error> unsupported(const std::string& why) const {
    return t1_unsupported(kernel_, why);
  }

  [[nodiscard]] Status check_plan() const {
    const LaunchSpec& launch = kernel_.launches.front();
    const char* const extra = kernel_.language != "cuda"     ? "a language that is not CUDA C++"
                              : kernel_.launches.size() > 1  ? "several launches"
                              : !launch.repeats.empty()      ? "repeated launches"
                              : launch.cooperative           ? "a cooperative launch"
                              : !launch.cluster.empty()      ? "clusters"
                              : !kernel_.tensor_maps.empty() ? "tensor maps"
                              : !kernel_.scratch.empty()     ? "scratch memory"
                              : !kernel_.symbols.empty()     ? "symbols"
                              : launch.entry.find('@') != std::string::npos
                                  ? "an entry that depends on parameters"
                                  : nullptr;
    return extra == nullptr
               ? Status()
               : unsupported(std::string("has ") + extra + ", which a T1 file does not describe");
  }

  [[nodiscard]] OrderedJson compiler_options() const {
    OrderedJson options = OrderedJson::array();
    for (const std::string& option : kernel_.options) {
      options.push_back(option);
    }
    return options;
  }

  void add_parameter(const std::string& name, const std::vector<std::int64_t>& values,
                     std::int64_t standard) {
    parameters_.push_back({{"Name", name},
                           {"Type", "int"},
                           {"Values", OrderedJson(values).dump()},
                           {"Default", standard}});
  }

  /// The text with numbers in the place of dims and integer scalars.
  [[nodiscard]] std::string without_sizes(const std::string& text) const {
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (is_word_start(text[at]) && end < text.size() && is_word(text[end])) {
        ++end;
      }
      const std::string word = text.substr(at, end - at);
      const auto size = sizes_.find(word);
      made += size == sizes_.end() ? word : std::to_string(size->second);
      at = end;
    }
    return made;
  }

  Status add_condition(const std::string& text) {
    WS_CHECK(check_t1_expression(kernel_, text));
    OrderedJson names = OrderedJson::array();
    for (const auto& [name, values] : kernel_.params) {
      names.push_back(name);
    }
    conditions_.push_back({{"Expression", without_sizes(text)}, {"Parameters", names}});
    return {};
  }

  Status write_grid(const LaunchSpec& launch) {
    OrderedJson problem = OrderedJson::array();
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
      WS_TRY(const auto sides, quotient(launch.grid[i]));
      problem.push_back(sides.first);
      spec_[std::string("GridDiv") + kAxisLetters.at(i)] = {sides.second};
      spec_["GlobalSize"][kAxisLetters.at(i)] = without_sizes(launch.grid[i]);
    }
    spec_["ProblemSize"] = problem;
    for (std::size_t i = 0; i < launch.block.size(); ++i) {
      const std::string text = without_sizes(launch.block[i]);
      const bool one = i > 0 && text == "1";  // So it is where there is no such parameter.
      WS_CHECK(one ? Status() : write_block(kBlockNames.at(i), text));
      spec_["LocalSize"][kAxisLetters.at(i)] = one ? "1" : kBlockNames.at(i);
    }
    return {};
  }

  /// "cdiv(n, TILE)" as the problem's size and its divisor.
  [[nodiscard]] Result<std::pair<std::int64_t, std::string>> quotient(
      const std::string& grid) const {
    if (const Result<std::int64_t> blocks = eval_expr(grid, sizes_)) {
      return std::pair(*blocks, std::string("1"));
    }
    int depth = 0;
    std::size_t comma = std::string::npos;
    for (std::size_t at = 5; grid.starts_with("cdiv(") && at + 1 < grid.size(); ++at) {
      depth += grid[at] == '(' ? 1 : grid[at] == ')' ? -1 : 0;
      comma = depth == 0 && grid[at] == ',' && comma == std::string::npos ? at : comma;
      if (depth < 0) {
        comma = std::string::npos;  // The bracket closes before the end.
        break;
      }
    }
    const Result<std::int64_t> size = comma == std::string::npos
                                          ? Result<std::int64_t>(fail(ErrorCode::kUnsupported, ""))
                                          : eval_expr(grid.substr(5, comma - 5), sizes_);
    if (!size) {
      return unsupported("has the grid `" + grid +
                         "`, and Kernel Tuner divides a size by expressions of parameters");
    }
    const std::string divisor(trimmed(grid.substr(comma + 1, grid.size() - comma - 2)));
    WS_CHECK(check_t1_expression(kernel_, divisor));
    return std::pair(*size, without_sizes(divisor));
  }

  /// Kernel Tuner takes blocks from parameters of these names.
  Status write_block(const std::string& name, const std::string& text) {
    if (kernel_.params.contains(name)) {
      return text == name ? Status()
                          : unsupported("has a parameter `" + name + "` that is not its block");
    }
    std::vector<std::int64_t> values;
    WS_TRY(const std::vector<Params> points, points_of(text));
    for (const Params& point : points) {
      WS_TRY(const std::int64_t value, eval_expr(text, point));
      if (std::ranges::find(values, value) == values.end()) {
        values.push_back(value);
      }
    }
    std::ranges::sort(values);
    WS_TRY(const std::int64_t standard, eval_expr(text, params_));
    add_parameter(name, values, standard);
    if (values.size() > 1) {
      WS_CHECK(check_t1_expression(kernel_, text));
      conditions_.push_back({{"Expression", name + " == " + text}, {"Parameters", {name}}});
    }
    return {};
  }

  /// All choices of the parameters that an expression names.
  [[nodiscard]] Result<std::vector<Params>> points_of(const std::string& text) const {
    WS_TRY(const Expr expr, parse_expr(text));
    constexpr std::size_t kMostPoints = 65536;
    std::vector<Params> points = {{}};
    for (const std::string& name : expr.names()) {
      const auto param = kernel_.params.find(name);
      if (param == kernel_.params.end() || points.size() * param->second.size() > kMostPoints) {
        return unsupported("has the block `" + text + "`, whose values cannot be listed");
      }
      std::vector<Params> more;
      for (const Params& point : points) {
        for (const std::int64_t value : param->second) {
          more.push_back(point);
          more.back()[name] = value;
        }
      }
      points = std::move(more);
    }
    return points;
  }

  const Handover& handover_;
  const Kernel& kernel_;
  const Params& params_;
  const Bindings sizes_;
  OrderedJson parameters_ = OrderedJson::array();
  OrderedJson conditions_ = OrderedJson::array();
  OrderedJson spec_;
};

}  // namespace

Result<OrderedJson> t1_of(const Handover& handover) {
  return T1Writer(handover).write();
}

}  // namespace ws
