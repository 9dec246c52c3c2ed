#include "runtime/handover/python_launcher.h"

#include <algorithm>

#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/python_expr.h"
#include "runtime/handover/words.h"
#include "runtime/kernel/expr/evaluate.h"

namespace ws {
namespace {

constexpr const char* kIndent = "    ";

std::string whole_tuple(const std::vector<std::int64_t>& values) {
  std::string list;
  for (const std::int64_t value : values) {
    list += (list.empty() ? "" : " ") + std::to_string(value) + ",";
  }
  return "(" + list + ")";
}

std::vector<std::string> parameters(const Problem& problem) {
  std::vector<std::string> names;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kIn || arg.role == Role::kInout) {
      names.push_back(python_name(arg.name));
    }
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      names.push_back(python_name(arg.name));
    }
  }
  bool first = true;
  for (const DimSource& source : dim_sources(problem)) {
    if (source.arg.empty()) {
      names.push_back((first ? "*, " : "") + python_name(source.dim));
      first = false;
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

class LauncherWriter {
 public:
  LauncherWriter(const Handover& handover, const PythonTarget& target)
      : problem_(handover.problem),
        kernel_(handover.kernel),
        params_(handover.params),
        ranges_(handover.proof.ranges),
        target_(target) {}

  Result<std::string> write() {
    text_ = "def handover_run(" + joined(parameters(problem_)) + "):\n";
    line("\"\"\"Launches the kernel on the current stream and gives its outputs.\"\"\"");
    add_numbers();
    WS_CHECK(add_conditions());
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        WS_CHECK(add_buffer(arg));
      }
    }
    for (const ScratchSpec& scratch : kernel_.scratch) {
      WS_CHECK(add_scratch(scratch));
    }
    for (const std::string& statement : target_.symbols()) {
      line(statement);
    }
    for (std::size_t i = 0; i < kernel_.launches.size(); ++i) {
      WS_CHECK(add_launch(i));
    }
    add_return();
    return std::move(text_);
  }

 private:
  void line(const std::string& text, std::size_t depth = 1) {
    for (std::size_t i = 0; i < depth; ++i) {
      text_ += kIndent;
    }
    text_ += text + "\n";
  }

  void add_numbers() {
    for (const DimSource& source : dim_sources(problem_)) {
      const std::string name = python_name(source.arg.empty() ? source.dim : source.arg);
      if (source.arg.empty()) {
        line(cpp_variable(source.dim) + " = int(" + name + ")");
      } else {
        line("handover_check_rank(" + python_string(source.arg) + ", " + name + ", " +
             std::to_string(source.rank) + ")");
        line(cpp_variable(source.dim) + " = int(" + name + ".shape[" + std::to_string(source.axis) +
             "])");
      }
    }
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kScalar) {
        line(cpp_variable(arg.name) + (is_float(arg.type) ? " = float(" : " = int(") +
             python_name(arg.name) + ")");
      }
    }
    for (const auto& [name, value] : params_) {
      line(cpp_variable(name) + " = " + std::to_string(value));
    }
  }

  Status add_conditions() {
    for (const DimRange& range : ranges_) {
      const std::string dim = python_string(range.dim) + ", " + cpp_variable(range.dim) + ", ";
      line(range.listed.empty()
               ? "handover_check_range(" + dim + std::to_string(range.low) + ", " +
                     std::to_string(range.high) + ", " + std::to_string(range.multiple_of) + ")"
               : "handover_check_listed(" + dim + whole_tuple(range.listed) + ")");
    }
    for (const std::vector<std::string>* conditions : {&problem_.valid, &kernel_.constraints}) {
      for (const std::string& condition : *conditions) {
        WS_TRY(const std::string expr, python_expr(condition));
        line("handover_check_condition(" + expr + ", " + python_string(condition) + ")");
      }
    }
    return {};
  }

  Status add_buffer(const ArgSpec& arg) {
    const std::string buffer = cpp_buffer(arg.name);
    WS_TRY(const std::string dtype, target_.dtype(arg.type));
    WS_TRY(const std::string shape, python_tuple(arg.shape, "shape of `" + arg.name + "`"));
    std::string strides = "None";
    if (arg.strides) {
      WS_TRY(strides, python_tuple(*arg.strides, "strides of `" + arg.name + "`"));
    }
    if (arg.role == Role::kOut) {
      line(buffer + " = handover_empty(" + shape + ", " + dtype + ", " + strides + ")");
    } else {
      line(buffer + " = " + python_name(arg.name));
      line("handover_check(" + python_string(arg.name) + ", " + buffer + ", " + dtype + ", " +
           shape + ", " + strides + ")");
    }
    line("s_" + arg.name + " = handover_span(" + shape + ", " + strides + ")");
    return {};
  }

  Status add_scratch(const ScratchSpec& scratch) {
    WS_TRY(const std::string dtype, target_.dtype(scratch.type));
    WS_TRY(const std::string shape,
           python_tuple(scratch.shape, "scratch `" + scratch.name + "`: shape"));
    line(cpp_buffer(scratch.name) + " = handover_empty(" + shape + ", " + dtype +
         (scratch.zero ? ", zero=True)" : ")"));
    line("s_" + scratch.name + " = handover_span(" + shape + ", None)");
    return {};
  }

  Status add_launch(std::size_t index) {
    std::size_t depth = 1;
    for (const RepeatSpec& repeat : kernel_.launches[index].repeats) {
      WS_TRY(const std::string count, python_expr(repeat.count));
      line("for " + cpp_variable(repeat.var) + " in range(" + count + "):", depth);
      ++depth;
    }
    WS_TRY(const std::string launch, target_.launch(index));
    line(launch, depth);
    return {};
  }

  void add_return() {
    std::vector<std::string> outputs;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kOut || arg.role == Role::kInout) {
        outputs.push_back(cpp_buffer(arg.name));
      }
    }
    line("return " + joined(outputs));
  }

  const Problem& problem_;
  const Kernel& kernel_;
  const Params& params_;
  const std::vector<DimRange>& ranges_;
  const PythonTarget& target_;
  std::string text_;
};

}  // namespace

std::vector<DimSource> dim_sources(const Problem& problem) {
  std::vector<DimSource> sources;
  for (const DimSpec& dim : problem.dims) {
    DimSource source{.dim = dim.name, .arg = {}};
    for (const ArgSpec& arg : problem.args) {
      const auto axis = std::ranges::find(arg.shape, dim.name);
      if (source.arg.empty() && (arg.role == Role::kIn || arg.role == Role::kInout) &&
          axis != arg.shape.end()) {
        source.arg = arg.name;
        source.rank = arg.shape.size();
        source.axis = static_cast<std::size_t>(axis - arg.shape.begin());
      }
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

Result<std::string> python_launcher(const Handover& handover, const PythonTarget& target) {
  return LauncherWriter(handover, target).write();
}

std::string python_usage(const Problem& problem) {
  return "handover_run(" + joined(parameters(problem)) + ")";
}

}  // namespace ws
