// Arguments, layouts and the check of sizes.
#include <array>
#include <utility>

#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/host_plan.h"
#include "runtime/handover/words.h"
#include "runtime/kernel/expr/evaluate.h"

namespace ws {
namespace {

/// "{v_m, (v_k + 1_i)}"
Result<std::string> expr_list(const std::vector<std::string>& texts, const std::string& path) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<std::string> expr = cpp_expr(texts[i]);
    if (!expr) {
      return bad(item(path, i), expr.error().message);
    }
    list += (i == 0 ? "" : ", ") + *expr;
  }
  return "{" + list + "}";
}

/// "f32[m, k], in" for people.
std::string shape_words(const ArgSpec& arg) {
  constexpr std::array<const char*, 4> kRoles = {"in", "out", "inout", "scalar"};
  std::string text(name_of(arg.type));
  for (std::size_t i = 0; i < arg.shape.size(); ++i) {
    text += (i == 0 ? "[" : ", ") + arg.shape[i];
  }
  return text + (arg.shape.empty() ? "" : "]") + ", " +
         kRoles.at(static_cast<std::size_t>(arg.role));
}

/// The dims and whole numbers as variables that expressions name.
std::string local_numbers(const Problem& problem) {
  std::string text;
  const auto add = [&text](const std::string& name) {
    const std::string variable = cpp_variable(name);
    text += "  [[maybe_unused]] const Int " + variable + " = given." + variable + ";\n";
  };
  for (const DimSpec& dim : problem.dims) {
    add(dim.name);
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar && !is_float(arg.type)) {
      add(arg.name);
    }
  }
  return text;
}

std::string range_check(const DimRange& range) {
  const std::string value = cpp_string(range.dim) + ", " + cpp_variable(range.dim);
  if (range.listed.empty()) {
    return "  check_range(" + value + ", " + std::to_string(range.low) + ", " +
           std::to_string(range.high) + ", " + std::to_string(range.multiple_of) + ");\n";
  }
  std::string listed;
  for (const std::int64_t size : range.listed) {
    listed += (listed.empty() ? "" : ", ") + std::to_string(size);
  }
  return "  check_listed(" + value + ", {" + listed + "});\n";
}

Result<std::string> layouts_text(const Problem& problem) {
  std::string members;
  std::string made;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      continue;
    }
    WS_TRY(std::string lists, expr_list(arg.shape, "shape of `" + arg.name + "`"));
    if (arg.strides) {
      WS_TRY(const std::string strides, expr_list(*arg.strides, "strides of `" + arg.name + "`"));
      lists += ", " + strides;
    }
    members += "  Layout " + cpp_buffer(arg.name) + ";\n";
    made += "  of." + cpp_buffer(arg.name) + " = layout(" + cpp_string(arg.name) +
            ", std::vector<Int>" + lists + ");\n";
  }
  return "struct Layouts {\n" + members +
         "};\n\ninline Layouts layouts(const Arguments& given) {\n" + local_numbers(problem) +
         "  Layouts of;\n" + made + "  return of;\n}\n";
}

}  // namespace

Result<std::string> arguments_text(const Problem& problem) {
  std::string text =
      "/// Dims are numbers of elements; buffers lie on the device.\nstruct Arguments {\n";
  for (const DimSpec& dim : problem.dims) {
    text += "  std::int64_t " + cpp_variable(dim.name) + " = 0;\n";
  }
  for (const ArgSpec& arg : problem.args) {
    const bool scalar = arg.role == Role::kScalar;
    text += std::string("  ") + (scalar ? (is_float(arg.type) ? "double " : "std::int64_t ") +
                                              cpp_variable(arg.name) + " = 0;"
                                        : (arg.role == Role::kIn ? "const void* " : "void* ") +
                                              cpp_buffer(arg.name) + " = nullptr;");
    text += comment_line("  // ", shape_words(arg));
  }
  WS_TRY(const std::string layouts, layouts_text(problem));
  return text + "};\n\n" + layouts;
}

Result<std::string> sizes_text(const Problem& problem, const Kernel& kernel, const Params& params,
                               const std::vector<DimRange>& ranges) {
  std::string text = "inline void check_sizes(const Arguments& given) {\n" + local_numbers(problem);
  for (const auto& [name, value] : params) {
    text += "  [[maybe_unused]] const Int " + cpp_variable(name) + " = " + std::to_string(value) +
            ";\n";
  }
  for (const DimRange& range : ranges) {
    text += range_check(range);
  }
  for (const auto& [field, conditions] :
       {std::pair{"valid", &problem.valid}, std::pair{"constraints", &kernel.constraints}}) {
    for (const std::string& condition : *conditions) {
      const Result<std::string> expr = cpp_expr(condition);
      if (!expr) {
        return bad(field, expr.error().message);
      }
      text += "  check_condition(" + *expr + ", " + cpp_string(condition) + ");\n";
    }
  }
  return text + "}\n";
}

}  // namespace ws
