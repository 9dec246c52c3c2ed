// One file for CuPy: the source as text, which CuPy compiles when the file is imported.
#include <algorithm>
#include <charconv>

#include "runtime/compile/nvrtc/shims.h"
#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/device_code.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/head.h"
#include "runtime/handover/python_expr.h"
#include "runtime/handover/python_launcher.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"
#include "runtime/kernel/expr/evaluate.h"
#include "runtime/kernel/plan/placeholders.h"

namespace ws {
namespace {

/// Device code that keeps the size of each of an entry's parameters.
constexpr const char* kWidths = R"(
template <int I, typename F>
struct handover_width;
template <int I, typename R, typename First, typename... More>
struct handover_width<I, R(First, More...)> : handover_width<I - 1, R(More...)> {};
template <typename R, typename First, typename... More>
struct handover_width<0, R(First, More...)> {
  static constexpr int value = sizeof(First);
};
)";

/// "handover_numpy.float32". @errors kUnsupported.
Result<std::string> numpy_type(DType type) {
  const std::string base = "handover_numpy.";
  switch (type) {
    case DType::kF64:
      return base + "float64";
    case DType::kF32:
    case DType::kTf32:
      return base + "float32";
    case DType::kF16:
      return base + "float16";
    case DType::kI64:
      return base + "int64";
    case DType::kI32:
      return base + "int32";
    case DType::kI16:
      return base + "int16";
    case DType::kI8:
      return base + "int8";
    case DType::kU64:
      return base + "uint64";
    case DType::kU32:
      return base + "uint32";
    case DType::kU16:
      return base + "uint16";
    case DType::kU8:
      return base + "uint8";
    case DType::kBool:
      return base + "bool_";
    default:
      return fail(ErrorCode::kUnsupported,
                  "CuPy has no elements of type " + std::string(name_of(type)));
  }
}

class CupyTarget : public PythonTarget {
 public:
  CupyTarget(const Handover& handover, const std::vector<std::string>& entries)
      : handover_(handover),
        kernel_(handover.kernel),
        entries_(entries) {}

  [[nodiscard]] Result<std::string> dtype(DType type) const override { return numpy_type(type); }

  [[nodiscard]] std::vector<std::string> symbols() const override {
    std::vector<std::string> statements;
    statements.reserve(kernel_.symbols.size());
    for (const SymbolSpec& symbol : kernel_.symbols) {
      statements.push_back("handover_module().fill(" + python_string(symbol.name) + ", " +
                           cpp_buffer(symbol.of) + ", s_" + symbol.of + ")");
    }
    return statements;
  }

  [[nodiscard]] Result<std::string> launch(std::size_t index) const override {
    const LaunchSpec& launch = kernel_.launches[index];
    const std::string path = item("launches", index);
    WS_TRY(const std::string entry,
           substitute_entry(kernel_, handover_.workload, handover_.params, launch.entry));
    const std::string number =
        std::to_string(std::ranges::find(entries_, entry) - entries_.begin());
    WS_TRY(const std::string grid, python_tuple(launch.grid, path + ".grid"));
    WS_TRY(const std::string block, python_tuple(launch.block, path + ".block"));
    WS_TRY(const std::string shared, python_expr(launch.shared_bytes));
    std::string arguments;
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      const std::string width =
          "handover_module().widths[" + number + "][" + std::to_string(i) + "]";
      WS_TRY(const std::string argument,
             argument_of(launch.args[i], width, item(path + ".args", i)));
      arguments += (i == 0 ? "" : " ") + argument + ",";
    }
    return "handover_module().launch(" + number + ", " + grid + ", " + block + ", " + shared +
           ", (" + arguments + "))";
  }

 private:
  [[nodiscard]] Result<std::string> argument_of(const LaunchArgSpec& arg, const std::string& width,
                                                const std::string& path) const {
    switch (arg.kind) {
      case LaunchArgSpec::Kind::kNull:
        return std::string("handover_numpy.uint64(0)");
      case LaunchArgSpec::Kind::kStruct:
      case LaunchArgSpec::Kind::kTexture:
        return fail(ErrorCode::kUnsupported,
                    path +
                        (arg.kind == LaunchArgSpec::Kind::kStruct ? " is a struct by value"
                                                                  : " is a texture") +
                        ", and CuPy passes numbers and arrays only");
      case LaunchArgSpec::Kind::kBuffer: {
        WS_TRY(const std::string offset, python_expr(arg.offset));
        return "handover_address(" + cpp_buffer(arg.name) + ", handover_inside(" + offset + ", s_" +
               arg.name + ", " +
               python_string("the offset `" + arg.offset + "` into `" + arg.name + "`") + "))";
      }
      case LaunchArgSpec::Kind::kValue: {
        WS_TRY(const std::string type, numpy_type(arg.type));
        WS_TRY(const std::string value, value_of(arg));
        return type + "(" + value + ")";
      }
      case LaunchArgSpec::Kind::kName:
        break;
    }
    return named(arg.name, width);
  }

  [[nodiscard]] static Result<std::string> value_of(const LaunchArgSpec& arg) {
    double number = 0;
    const char* const end = arg.value.data() + arg.value.size();
    const auto [stop, code] = std::from_chars(arg.value.data(), end, number);
    return is_float(arg.type) && code == std::errc() && stop == end
               ? Result<std::string>(number_text(number))
               : python_expr(arg.value);
  }

  [[nodiscard]] Result<std::string> named(const std::string& name, const std::string& width) const {
    const ArgSpec* const arg = handover_.problem.find_arg(name);
    if (arg != nullptr && arg->role == Role::kScalar) {
      WS_TRY(const std::string type, numpy_type(arg->type));
      return type + "(" + cpp_variable(name) + ")";
    }
    const bool buffer =
        arg != nullptr || std::ranges::any_of(kernel_.scratch, [&](const ScratchSpec& scratch) {
          return scratch.name == name;
        });
    return buffer ? "handover_address(" + cpp_buffer(name) + ")"
                  : "handover_whole(" + python_string(name) + ", " + cpp_variable(name) + ", " +
                        width + ")";
  }

  const Handover& handover_;
  const Kernel& kernel_;
  const std::vector<std::string>& entries_;
};

Status check_launchable(const Kernel& kernel) {
  const auto refuse = [&kernel](const std::string& what) {
    return fail(ErrorCode::kUnsupported, kernel.id + " " + what, "take it as `cuda` or `pytorch`");
  };
  if (kernel.language != "cuda") {
    return fail(ErrorCode::kUnsupported, kernel.id + " is in the language " + kernel.language +
                                             ", and CuPy compiles CUDA C++ only");
  }
  if (!kernel.tensor_maps.empty()) {
    return refuse("needs tensor maps, which CuPy cannot make");
  }
  std::size_t cooperative = 0;
  for (const LaunchSpec& launch : kernel.launches) {
    if (!launch.cluster.empty()) {
      return refuse("launches clusters, which CuPy cannot");
    }
    cooperative += launch.cooperative ? 1 : 0;
  }
  if (cooperative > 0 && cooperative < kernel.launches.size()) {
    return refuse(
        "has cooperative launches beside others, and CuPy makes all of a module's cooperative");
  }
  return {};
}

/// The number of arguments of each entry.
std::vector<std::size_t> counts_of(const Handover& handover,
                                   const std::vector<std::string>& entries) {
  std::vector<std::size_t> counts(entries.size());
  for (const LaunchSpec& launch : handover.kernel.launches) {
    const Result<std::string> entry =
        substitute_entry(handover.kernel, handover.workload, handover.params, launch.entry);
    const auto at = entry ? std::ranges::find(entries, *entry) : entries.end();
    if (at != entries.end()) {
      counts[static_cast<std::size_t>(at - entries.begin())] = launch.args.size();
    }
  }
  return counts;
}

std::string widths_text(const std::vector<std::string>& entries,
                        const std::vector<std::size_t>& counts) {
  std::string text = kWidths;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::string values;
    for (std::size_t k = 0; k < counts[i]; ++k) {
      values += (k == 0 ? "" : ", ") + ("handover_width<" + std::to_string(k)) + ", decltype(" +
                entries[i] + ")>::value";
    }
    if (counts[i] > 0) {
      text += "extern \"C\" { __constant__ int handover_widths_" + std::to_string(i) + "[] = {" +
              values + "}; }\n";
    }
  }
  return text;
}

/// The headers of the host that NVRTC lacks come along as texts.
Result<std::string> source_text(RenderedSource source, const std::vector<std::size_t>& counts) {
  std::string prelude;
  for (const nvrtc::Shim& shim : nvrtc::shims()) {
    if (shim.name == nvrtc::kPrelude) {
      prelude = shim.text;
    } else {
      source.headers.emplace(shim.name, shim.text);
    }
  }
  WS_TRY(const DeviceCode code, device_code(source, "", widths_text(source.entries, counts)));
  return prelude + code.text;
}

std::string options_text(const Kernel& kernel) {
  std::string text = "\"--std=c++17\",";
  for (const std::string& option : kernel.options) {
    const bool standard = option.starts_with("-std=") || option.starts_with("--std=");
    if (standard) {
      text.replace(0, text.find(',') + 1, "\"--std=" + option.substr(option.find('=') + 1) + "\",");
    } else if (!option.starts_with("-D") && !option.starts_with("-O")) {
      text += " " + python_string(option) + ",";
    }
  }
  return "(" + text + ")";
}

std::string module_text(const Kernel& kernel, const std::vector<std::string>& entries,
                        const std::vector<std::size_t>& counts) {
  std::string names;
  std::string numbers;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    names += (i == 0 ? "" : ", ") + python_string(entries[i]);
    numbers += (i == 0 ? "" : ", ") + std::to_string(counts[i]);
  }
  const bool cooperative = !kernel.launches.empty() && kernel.launches.front().cooperative;
  return "handover_modules = {}\n\n\ndef handover_module():\n"
         "    \"\"\"The compiled source for the current device.\"\"\"\n"
         "    device = handover_cupy.cuda.Device().id\n"
         "    if device not in handover_modules:\n"
         "        handover_modules[device] = HandoverModule(\n            handover_source, " +
         options_text(kernel) + ", [" + names + "], [" + numbers + "], " +
         (cooperative ? "True" : "False") +
         ")\n"
         "    return handover_modules[device]\n";
}

}  // namespace

Result<std::vector<HandoverFile>> cupy_files(const Handover& handover) {
  WS_CHECK(check_launchable(handover.kernel));
  WS_TRY(const RenderedSource source, render(handover.kernel, handover.workload, handover.params));
  const std::vector<std::size_t> counts = counts_of(handover, source.entries);
  WS_TRY(const std::string code, source_text(source, counts));
  WS_TRY(const std::string launcher,
         python_launcher(handover, CupyTarget(handover, source.entries)));
  const std::string name = "kernel_" + module_name(handover.kernel.name);
  return std::vector<HandoverFile>{
      {name + ".py", head_of(handover, "# ",
                             {"", "use:        import " + name,
                              "            " + name + "." + python_usage(handover.problem),
                              "The source is compiled at the first call."}) +
                         std::string(handover_numbers_py()) + "\n\n" +
                         std::string(handover_cupy_arrays()) +
                         "\n\nhandover_source = " + python_text(code) + "\n\n" +
                         module_text(handover.kernel, source.entries, counts) + "\n\n" + launcher}};
}

}  // namespace ws
