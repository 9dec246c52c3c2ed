#include "runtime/handover/torch_binding.h"

#include <algorithm>

#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/python_expr.h"
#include "runtime/handover/python_launcher.h"
#include "runtime/handover/torch_words.h"
#include "runtime/handover/words.h"

namespace ws {
namespace {

/// One parameter of the operator.
struct Parameter {
  std::string schema;  ///< "Tensor(a!) found"
  std::string cpp;     ///< "const at::Tensor& p_found"
  std::string name;    ///< "p_found"
};

bool is_given(const ArgSpec& arg) {
  return arg.role == Role::kIn || arg.role == Role::kInout;
}

/// A schema has words of its own beside Python's.
std::string schema_name(const std::string& name) {
  const bool taken = std::ranges::any_of(
      std::initializer_list<std::string_view>{"Tensor", "int", "float", "bool", "str", "Scalar",
                                              "Device", "Generator", "Layout", "Storage", "self"},
      [&](std::string_view word) { return word == name; });
  return taken ? name + "_" : python_name(name);
}

/// The parameters in the order of python_launcher.h.
std::vector<Parameter> parameters_of(const Problem& problem) {
  std::vector<Parameter> all;
  char alias = 'a';
  for (const ArgSpec& arg : problem.args) {
    if (is_given(arg)) {
      const std::string type =
          arg.role == Role::kInout ? std::string("Tensor(") + alias++ + "!) " : "Tensor ";
      all.push_back(
          {type + schema_name(arg.name), "const at::Tensor& p_" + arg.name, "p_" + arg.name});
    }
  }
  const auto add_number = [&all](const std::string& name, bool real) {
    all.push_back({(real ? "float " : "int ") + schema_name(name),
                   (real ? "double p_" : "std::int64_t p_") + name, "p_" + name});
  };
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      add_number(arg.name, is_float(arg.type));
    }
  }
  for (const DimSource& source : dim_sources(problem)) {
    if (source.arg.empty()) {
      add_number(source.dim, false);
    }
  }
  return all;
}

class BindingWriter {
 public:
  BindingWriter(const Handover& handover, std::string module)
      : problem_(handover.problem),
        module_(std::move(module)),
        parameters_(parameters_of(problem_)) {
    for (const ArgSpec& arg : problem_.args) {
      outputs_ += arg.role == Role::kOut ? 1 : 0;
      first_ = first_.empty() && is_given(arg) ? "p_" + arg.name : first_;
    }
  }

  Result<std::string> write() {
    WS_CHECK(begin());
    add_meta();
    add_cuda("kernel");
    if (problem_.reference != nullptr) {
      add_cuda("reference");
    }
    add_autograd();
    add_registrations();
    return std::move(text_);
  }

  Result<std::string> write_function(const std::string& name) {
    for (const DimSource& source : dim_sources(problem_)) {
      if (source.arg.empty()) {
        return fail(
            ErrorCode::kUnsupported,
            "dim `" + source.dim + "` is the extent of no input, where sizes are read from");
      }
    }
    WS_CHECK(begin());
    add_cuda("kernel");
    line("}  // namespace\n");
    line(signature(name) + " {");
    line("  return kernel_on_cuda(" + passed() + ");\n}");
    return std::move(text_);
  }

  /// The function's result and parameters, which stand in the problem's order.
  [[nodiscard]] std::string signature(const std::string& name) const {
    std::string given;
    for (const ArgSpec& arg : problem_.args) {
      const auto at = std::ranges::find(parameters_, "p_" + arg.name, &Parameter::name);
      if (at != parameters_.end()) {
        given += (given.empty() ? "" : ", ") + at->cpp;
      }
    }
    return result_type() + " " + name + "(" + given + ")";
  }

 private:
  Status begin() {
    if (first_.empty()) {
      return fail(
          ErrorCode::kUnsupported,
          "an operator of PyTorch needs a tensor among its inputs, and this problem has none");
    }
    text_ =
        std::string(handover_torch_checks()) + "\nnamespace {\n\nusing handover::Arguments;\n\n";
    add_checks();
    return {};
  }

  void line(const std::string& text) { text_ += text + "\n"; }

  [[nodiscard]] std::string declared() const {
    return joined([](const Parameter& parameter) { return parameter.cpp; });
  }

  [[nodiscard]] std::string passed() const {
    return joined([](const Parameter& parameter) { return parameter.name; });
  }

  template <typename Part>
  [[nodiscard]] std::string joined(const Part& part) const {
    std::string text;
    for (const Parameter& parameter : parameters_) {
      text += (text.empty() ? "" : ", ") + part(parameter);
    }
    return text;
  }

  [[nodiscard]] std::string result_type() const {
    std::string all;
    for (std::size_t i = 0; i < outputs_; ++i) {
      all += i == 0 ? "at::Tensor" : ", at::Tensor";
    }
    return outputs_ == 0 ? "void" : outputs_ == 1 ? all : "std::tuple<" + all + ">";
  }

  [[nodiscard]] std::string returned() const {
    std::string all;
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kOut) {
        all += (all.empty() ? "" : ", ") + ("p_" + arg.name);
      }
    }
    return outputs_ == 0 ? "" : outputs_ == 1 ? "  return " + all + ";" : "  return {" + all + "};";
  }

  /// The sizes by the shapes, and each tensor's check.
  void add_checks() {
    line("struct Checked {\n  Arguments given;\n  handover::Layouts of;\n};\n");
    line("Checked checked(" + declared() + ") {\n  Checked call;");
    for (const DimSource& source : dim_sources(problem_)) {
      line("  call.given." + cpp_variable(source.dim) + " = " +
           (source.arg.empty()
                ? "p_" + source.dim
                : "handover::extent_of(" + cpp_string(source.arg) + ", p_" + source.arg + ", " +
                      std::to_string(source.rank) + ", " + std::to_string(source.axis) + ")") +
           ";");
    }
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kScalar) {
        line("  call.given." + cpp_variable(arg.name) + " = p_" + arg.name + ";");
      }
    }
    line("  handover::check_sizes(call.given);\n  call.of = handover::layouts(call.given);");
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        line("  handover::check_tensor(" + cpp_string(arg.name) + ", p_" + arg.name + ", " +
             std::string(torch_scalar(arg.type)) + ", call.of." + cpp_buffer(arg.name) + ", " +
             first_ + ".device());");
      }
    }
    line("  return call;\n}\n");
  }

  void add_outputs() {
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role == Role::kOut) {
        line("  at::Tensor p_" + arg.name + " = handover::made(call.of." + cpp_buffer(arg.name) +
             ", " + std::string(torch_scalar(arg.type)) + ", " + first_ + ".device());");
      }
    }
  }

  void add_meta() {
    line("/// The shapes alone, for torch.compile and the device `meta`. Sizes must be numbers.");
    line(result_type() + " run_on_meta(" + declared() + ") {");
    line("  [[maybe_unused]] const Checked call = checked(" + passed() + ");");
    add_outputs();
    line(returned() + "\n}\n");
  }

  void add_cuda(const std::string& who) {
    line(result_type() + " " + who + "_on_cuda(" + declared() + ") {");
    line("  Checked call = checked(" + passed() + ");");
    line("  const c10::OptionalDeviceGuard guard(" + first_ + ".device());");
    add_outputs();
    for (const ArgSpec& arg : problem_.args) {
      if (arg.role != Role::kScalar) {
        line("  call.given." + cpp_buffer(arg.name) + " = p_" + arg.name + ".data_ptr();");
      }
    }
    line("  handover::Scratch scratch(" + first_ + ".device());");
    line("  handover::launch_" + who +
         "(call.given, [&](std::size_t bytes) { return scratch.take(bytes); });");
    line(returned() + "\n}\n");
  }

  void add_autograd() {
    std::string tensors;
    for (const ArgSpec& arg : problem_.args) {
      if (is_given(arg)) {
        tensors += (tensors.empty() ? "" : ", ") + ("p_" + arg.name);
      }
    }
    line("/// There is no backward: it says so before it runs.");
    line(result_type() + " run_with_autograd(" + declared() + ") {");
    line("  handover::refuse_gradients(" + cpp_string(module_ + "::run") + ", {" + tensors + "});");
    line("  const at::AutoDispatchBelowADInplaceOrView guard;");
    line("  static const auto run = c10::Dispatcher::singleton().findSchemaOrThrow(" +
         cpp_string(module_ + "::run") + ", \"\").typed<decltype(run_on_meta)>();");
    line("  return run.call(" + passed() + ");\n}\n");
    line("}  // namespace\n");
  }

  void add_registrations() {
    std::string results;
    for (std::size_t i = 0; i < outputs_; ++i) {
      results += i == 0 ? "Tensor" : ", Tensor";
    }
    const std::string schema = "(" +
                               joined([](const Parameter& parameter) { return parameter.schema; }) +
                               ") -> " + (outputs_ == 1 ? results : "(" + results + ")");
    const bool reference = problem_.reference != nullptr;
    line("TORCH_LIBRARY(" + module_ + ", library) {");
    line("  library.def(" + cpp_string("run" + schema) + ");");
    line(reference ? "  library.def(" + cpp_string("reference" + schema) + ");" : "");
    line("}\nTORCH_LIBRARY_IMPL(" + module_ + ", CUDA, library) {");
    line("  library.impl(\"run\", &kernel_on_cuda);");
    line(reference ? "  library.impl(\"reference\", &reference_on_cuda);" : "");
    line("}\nTORCH_LIBRARY_IMPL(" + module_ +
         ", Meta, library) {\n  library.impl(\"run\", &run_on_meta);\n}");
    line("TORCH_LIBRARY_IMPL(" + module_ +
         ", Autograd, library) {\n  library.impl(\"run\", &run_with_autograd);\n}\n");
    line("/// `import " + module_ +
         "` registers the operators; the module itself has nothing in it.");
    line("PyMODINIT_FUNC PyInit_" + module_ + "() {");
    line("  static PyModuleDef module = {PyModuleDef_HEAD_INIT, \"" + module_ +
         "\", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};");
    line("  return PyModule_Create(&module);\n}");
  }

  const Problem& problem_;
  const std::string module_;
  const std::vector<Parameter> parameters_;
  std::size_t outputs_ = 0;
  std::string first_;  // A tensor that is given: the others lie on its device.
  std::string text_;
};

}  // namespace

Result<std::string> torch_binding(const Handover& handover, const std::string& module) {
  return BindingWriter(handover, module).write();
}

Result<std::string> torch_function(const Handover& handover, const std::string& name) {
  return BindingWriter(handover, {}).write_function(name);
}

std::string torch_declaration(const Handover& handover, const std::string& name) {
  return BindingWriter(handover, {}).signature(name) + ";\n";
}

}  // namespace ws
