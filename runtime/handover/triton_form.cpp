// One file for Triton: the source as it is, and a launcher for tensors of PyTorch.
#include <algorithm>
#include <charconv>

#include "runtime/base/text.h"
#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/head.h"
#include "runtime/handover/python_expr.h"
#include "runtime/handover/python_launcher.h"
#include "runtime/handover/torch_words.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"
#include "runtime/kernel/expr/evaluate.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

class TritonTarget : public PythonTarget {
 public:
  explicit TritonTarget(const Handover& handover)
      : handover_(handover),
        kernel_(handover.kernel) {}

  [[nodiscard]] Result<std::string> dtype(DType type) const override {
    return "handover_torch." + std::string(torch_type(type));
  }

  [[nodiscard]] std::vector<std::string> symbols() const override { return {}; }

  [[nodiscard]] Result<std::string> launch(std::size_t index) const override {
    const LaunchSpec& launch = kernel_.launches[index];
    const std::string path = item("launches", index);
    WS_TRY(const std::string grid, python_tuple(launch.grid, path + ".grid"));
    WS_TRY(const std::string warps, python_expr(launch.num_warps));
    WS_TRY(const std::string stages, python_expr(launch.num_stages));
    std::string call = "handover_entries[" + python_string(launch.entry) + "][" + grid + "](";
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      WS_TRY(const std::string argument, argument_of(launch.args[i], item(path + ".args", i)));
      call += argument + ", ";
    }
    return call + "num_warps=" + warps + ", num_stages=" + stages + ")";
  }

 private:
  /// Triton sees numbers of Python as i32, i64 or f32.
  [[nodiscard]] Status check_number(DType type, const std::string& path) const {
    if (type == DType::kI32 || type == DType::kF32 || type == DType::kBool) {
      return {};
    }
    return fail(ErrorCode::kUnsupported,
                kernel_.id + ": " + path + " is a number of type " + std::string(name_of(type)) +
                    ", and Triton's launcher gives numbers a type of its own");
  }

  [[nodiscard]] Result<std::string> argument_of(const LaunchArgSpec& arg,
                                                const std::string& path) const {
    if (arg.kind == LaunchArgSpec::Kind::kName) {
      return named(arg.name, path);
    }
    if (arg.kind == LaunchArgSpec::Kind::kBuffer) {
      WS_TRY(const std::string offset, python_expr(arg.offset));
      return "handover_from(" + cpp_buffer(arg.name) + ", handover_inside(" + offset + ", s_" +
             arg.name + ", " +
             python_string("the offset `" + arg.offset + "` into `" + arg.name + "`") + "), s_" +
             arg.name + ")";
    }
    if (arg.kind == LaunchArgSpec::Kind::kValue) {
      WS_CHECK(check_number(arg.type, path));
      double number = 0;
      const char* const end = arg.value.data() + arg.value.size();
      const auto [stop, code] = std::from_chars(arg.value.data(), end, number);
      if (is_float(arg.type) && code == std::errc() && stop == end) {
        return number_text(number);
      }
      WS_TRY(const std::string value, python_expr(arg.value));
      return is_float(arg.type) ? "float(" + value + ")" : "int(" + value + ")";
    }
    return std::string("None");
  }

  [[nodiscard]] Result<std::string> named(const std::string& name, const std::string& path) const {
    const ArgSpec* const arg = handover_.problem.find_arg(name);
    if (arg != nullptr && arg->role == Role::kScalar) {
      WS_CHECK(check_number(arg->type, path));
      return cpp_variable(name);
    }
    const bool buffer =
        arg != nullptr || std::ranges::any_of(kernel_.scratch, [&](const ScratchSpec& scratch) {
          return scratch.name == name;
        });
    return buffer ? cpp_buffer(name) : cpp_variable(name);
  }

  const Handover& handover_;
  const Kernel& kernel_;
};

/// The functions of the source by name, before anything else could take their names.
Result<std::string> entries_of(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const LaunchSpec& launch : kernel.launches) {
    if (!std::ranges::all_of(launch.entry, is_word)) {
      return fail(ErrorCode::kUnsupported,
                  kernel.id + ": the entry `" + launch.entry + "` is no name of Python");
    }
    if (std::ranges::find(names, launch.entry) == names.end()) {
      names.push_back(launch.entry);
    }
  }
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + python_string(name) + ": " + name;
  }
  return "handover_entries = {" + text + "}\n";
}

}  // namespace

Result<std::vector<HandoverFile>> triton_files(const Handover& handover) {
  const Kernel& kernel = handover.kernel;
  if (kernel.language != "triton") {
    const LanguageInfo* const language = find_language(kernel.language);
    return fail(ErrorCode::kUnsupported,
                kernel.id + " is in " +
                    (language == nullptr ? kernel.language : std::string(language->title)) +
                    ", and this form takes kernels in Triton only");
  }
  if (!kernel.headers.empty()) {
    return fail(ErrorCode::kUnsupported,
                kernel.id + " has files beside its source, which this form does not write",
                "put what it needs of them into the source");
  }
  if (!kernel.tensor_maps.empty()) {
    return fail(ErrorCode::kUnsupported,
                kernel.id + " has tensor maps, which this form does not make");
  }
  WS_TRY(const std::string entries, entries_of(kernel));
  WS_TRY(const std::string launcher, python_launcher(handover, TritonTarget(handover)));
  const std::string name = "kernel_" + module_name(kernel.name);
  return std::vector<HandoverFile>{
      {name + ".py", head_of(handover, "# ",
                             {"", "use:        import " + name,
                              "            " + name + "." + python_usage(handover.problem),
                              "The source up to the next rule is as its author wrote it."}) +
                         kernel.source + "\n\n# " + std::string(76, '-') + "\n" + entries + "\n\n" +
                         std::string(handover_numbers_py()) + "\n\n" +
                         std::string(handover_torch_arrays()) + "\n\n" + launcher}};
}

}  // namespace ws
