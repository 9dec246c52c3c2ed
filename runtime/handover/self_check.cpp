#include "runtime/handover/self_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/handover/compared.h"
#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/drawing.h"
#include "runtime/handover/python_reference.h"
#include "runtime/handover/words.h"
#include "runtime/judge/fills.h"
#include "runtime/judge/tolerance.h"

namespace ws {
namespace {

/// The number of a fill as an expression of type double.
Result<std::string> fill_number(const ArgSpec& arg, const FillRow& row, std::string_view name) {
  if (const auto size = arg.fill.sizes.find(std::string(name)); size != arg.fill.sizes.end()) {
    WS_TRY(const std::string expr, cpp_expr(size->second));
    return "static_cast<double>((" + expr + ").value())";
  }
  const double value = fill_param(arg, row, name);
  return std::isnan(value) ? "static_cast<double>(t_" + arg.name + ".count())" : number_text(value);
}

/// {"uniform", 0.0, 1.0, 0, low, high}
Result<std::string> fill_text(const ArgSpec& arg) {
  const FillRow* const row = find_fill(arg.fill.kind);
  std::string text = "Fill{" + cpp_string(arg.fill.kind);
  for (const std::string_view name : drawn_numbers(arg)) {
    std::string number = "0.0";
    if (row != nullptr && !name.empty()) {
      WS_TRY(number, fill_number(arg, *row, name));
    }
    text += ", " + number;
  }
  const auto [low, high] = drawn_range(arg);
  return text + ", " + number_text(low) + ", " + number_text(high) + "}";
}

std::string enumerator(DType type) {
  return "Type::" + (type == DType::kBool ? std::string("boolean") : std::string(name_of(type)));
}

/// The terms that an element adds up, as reduction_length() has them.
Result<std::string> length_text(const Problem& problem, const ArgSpec& output) {
  if (!problem.flops.empty()) {
    WS_TRY(const std::string flops, cpp_expr(problem.flops));
    return "std::max(1.0, static_cast<double>((" + flops + ").value()) / (2.0 * " +
           "static_cast<double>(std::max<std::int64_t>(1, t_" + output.name + ".count()))))";
  }
  std::string product = "1.0";
  for (const DimSpec& dim : problem.dims) {
    Workload one;
    one.dims[dim.name] = 2;
    if (reduction_length(output, one, std::nullopt, 1) > 1) {
      product += " * static_cast<double>(" + cpp_variable(dim.name) + ".value())";
    }
  }
  return product;
}

Result<std::string> tolerance_text(const Problem& problem, const ArgSpec& output) {
  const ExplainedBound bound = explain_bound(problem, output, 1);
  const auto given = [](BoundOrigin from) {
    return from == BoundOrigin::kProblem || from == BoundOrigin::kArgument ? ", true" : ", false";
  };
  const DType accumulator = output.type == DType::kF64 ? DType::kF64 : DType::kF32;
  WS_TRY(const std::string length, length_text(problem, output));
  return std::string("Tolerance{") + (bound.bound.exact ? "true, " : "false, ") +
         number_text(bound.bound.rtol) + ", " + number_text(bound.bound.atol) +
         given(bound.rtol_from) + given(bound.atol_from) + ", " +
         number_text(unit_roundoff(accumulator)) + ", " + length + "}";
}

class MainWriter {
 public:
  explicit MainWriter(const Handover& handover)
      : problem_(handover.problem),
        workload_(handover.workload),
        script_(python_reference_name(module_name(handover.kernel.name))),
        compared_(why_not_checked(handover.problem).empty() ? compared_with(handover.problem)
                                                            : Compared::kNothing) {}

  Result<std::string> write() {
    add_sizes();
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        WS_CHECK(add_tensor(arg));
      }
    }
    add_run("kernel");
    if (compared_ == Compared::kNothing) {
      line("  return conclude_without(" + cpp_string(why_not_checked(problem_)) + ");");
    } else {
      WS_CHECK(add_check());
    }
    return "namespace handover {\n\ninline int check_kernel(int count, char** words) {\n" + text_ +
           "}\n\n}  // namespace handover\n\nint main(int count, char** words) {\n  return "
           "handover::guarded(handover::check_kernel, count, words);\n}\n";
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  void add_sizes() {
    std::string known;
    for (const auto& [name, value] : workload_.dims) {
      known += (known.empty() ? "" : ", ") + cpp_string(name);
    }
    for (const auto& [name, value] : workload_.scalars) {
      known += (known.empty() ? "" : ", ") + cpp_string(name);
    }
    line("  const std::map<std::string, double> sizes = sizes_given(count, words, {" + known +
         "});");
    line(
        "  [[maybe_unused]] const auto chosen = [&](const char* name, double usual) { return "
        "sizes.count(name) ? sizes.at(name) : usual; };");
    line("  Arguments given;");
    const auto add = [this](const std::string& name, double value, bool real) {
      const std::string variable = cpp_variable(name);
      line("  given." + variable + " = " + (real ? "" : "static_cast<std::int64_t>(") + "chosen(" +
           cpp_string(name) + ", " + number_text(value) + ")" + (real ? "" : ")") + ";");
      if (!real) {
        line("  [[maybe_unused]] const Int " + variable + " = given." + variable + ";");
      }
    };
    for (const auto& [name, value] : workload_.dims) {
      add(name, static_cast<double>(value), false);
    }
    for (const auto& [name, value] : workload_.scalars) {
      const ArgSpec* const arg = problem_.find_arg(name);
      add(name, value, arg != nullptr && is_float(arg->type));
    }
    line("  check_sizes(given);");
    line("  const Layouts of = layouts(given);");
  }

  Status add_tensor(const ArgSpec& arg) {
    const std::string tensor = "t_" + arg.name;
    const std::string layout = "of." + cpp_buffer(arg.name);
    line("  Tensor " + tensor + "{" + cpp_string(arg.name) + ", " + enumerator(arg.type) + ", " +
         std::to_string(size_of(arg.type)) + ", " + (arg.role == Role::kIn ? "false" : "true") +
         ", " + layout + ".shape, " + layout + ".strides, " + layout + ".span};");
    std::string fill = "Fill{\"zeros\", 0.0, 0.0, 0.0, 0.0, 0.0}";
    if (arg.role != Role::kOut) {
      WS_TRY(fill, fill_text(arg));
    }
    line("  draw(" + tensor + ", " + fill + ", " + (is_float(arg.type) ? "true" : "false") + ", " +
         std::to_string(++seed_) + ");");
    return {};
  }

  /// Each run has memory of its own.
  void add_run(const std::string& who) {
    line("  Device device_of_" + who + ";");
    line("  Arguments given_to_" + who + " = given;");
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        line("  given_to_" + who + "." + cpp_buffer(arg.name) + " = device_of_" + who +
             ".copy_of(t_" + arg.name + ");");
      }
    }
    line("  run_" + who + "(given_to_" + who + ", [&](std::size_t bytes) { return device_of_" +
         who + ".take(bytes); }, nullptr);");
    line("  check(cudaDeviceSynchronize(), \"the " + who + "\");");
  }

  Status add_check() {
    if (compared_ == Compared::kKernel) {
      add_run("reference");
    } else {
      add_python_run();
    }
    line("  bool passed = true;");
    for (const ArgSpec& arg : problem_.args) {
      if (is_output(arg)) {
        WS_CHECK(add_comparison(arg));
      }
    }
    line("  return conclude(passed);");
    return {};
  }

  /// Hands inputs, sizes and numbers to the Python program.
  void add_python_run() {
    line("  PythonReference reference(words[0], " + cpp_string(script_) + ");");
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kScalar) {
        line("  reference.number(" + cpp_string(arg.name) + ", static_cast<double>(given." +
             cpp_variable(arg.name) + "));");
        continue;
      }
      if (arg.role != Role::kOut) {
        line("  reference.input(t_" + arg.name + ");");
      }
      if (is_output(arg)) {
        line("  reference.output(t_" + arg.name + ");");
      }
    }
    for (const DimSpec& dim : problem_.dims) {
      line("  reference.dim(" + cpp_string(dim.name) + ", " + cpp_variable(dim.name) + ");");
    }
    line("  reference.run();");
  }

  static bool is_output(const ArgSpec& arg) {
    return arg.role == Role::kOut || arg.role == Role::kInout;
  }

  Status add_comparison(const ArgSpec& arg) {
    const std::string tensor = "t_" + arg.name;
    const auto values = [&](const std::string& who) {
      return "values_of(" + tensor + ", read_back(" + tensor + ", given_to_" + who + "." +
             cpp_buffer(arg.name) + "))";
    };
    WS_TRY(const std::string tolerance, tolerance_text(problem_, arg));
    line("  passed = compare(" + tensor + ", " + values("kernel") + ", " +
         (compared_ == Compared::kKernel ? values("reference")
                                         : "reference.wanted(" + tensor + ")") +
         ", " + tolerance + ") && passed;");
    return {};
  }

  const Problem& problem_;
  const Workload& workload_;
  const std::string script_;  ///< The file of a reference in Python.
  const Compared compared_;
  int seed_ = 0;
  std::string text_;
};

}  // namespace

std::string why_not_checked(const Problem& problem) {
  if (compared_with(problem) == Compared::kNothing) {
    return "the problem's reference is of kind `" + problem.reference_kind +
           "`, neither a kernel nor a Python program";
  }
  const auto computed = std::ranges::find_if(
      problem.args, [](const ArgSpec& arg) { return arg.fill.kind == "computed"; });
  if (computed != problem.args.end()) {
    return "the values of `" + computed->name + "` are computed by an expression";
  }
  const bool unordered = std::ranges::any_of(
      problem.args, [](const ArgSpec& arg) { return arg.unordered.has_value(); });
  return unordered ? "the rows of an output may come in any order" : "";
}

Result<std::string> self_check_text(const Handover& handover) {
  return MainWriter(handover).write();
}

}  // namespace ws
