// Entries, memory and launches.
#include "runtime/handover/host_plan.h"

#include <algorithm>

#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/host_arguments.h"
#include "runtime/handover/words.h"
#include "runtime/kernel/expr/evaluate.h"
#include "runtime/kernel/plan/placeholders.h"

namespace ws {
namespace {

/// The driver's name of a map's type; types that only kernels tell apart go by their size.
std::string map_type(DType type) {
  const std::string base = "CU_TENSOR_MAP_DATA_TYPE_";
  switch (type) {
    case DType::kF16:
      return base + "FLOAT16";
    case DType::kF32:
      return base + "FLOAT32";
    case DType::kF64:
      return base + "FLOAT64";
    case DType::kBf16:
      return base + "BFLOAT16";
    case DType::kTf32:
      return base + "TFLOAT32";
    case DType::kI32:
      return base + "INT32";
    case DType::kI64:
      return base + "INT64";
    default:
      break;
  }
  const std::size_t bytes = size_of(type);
  return base + (bytes == 1 ? "UINT8" : bytes == 2 ? "UINT16" : bytes == 4 ? "UINT32" : "UINT64");
}

class RunWriter {
 public:
  RunWriter(const Problem& problem, const Kernel& kernel, std::string who, std::string scope)
      : problem_(problem),
        kernel_(kernel),
        who_(std::move(who)),
        scope_(std::move(scope)),
        arguments_(problem, kernel) {}

  Result<std::string> write(const Workload& workload, const Params& params) {
    line("inline void run_" + who_ +
         "(const Arguments& given, [[maybe_unused]] const Memory& memory, cudaStream_t stream) {");
    add_arguments();
    for (const auto& [name, value] : params) {
      number(name, std::to_string(value));
    }
    for (const ScratchSpec& scratch : kernel_.scratch) {
      WS_CHECK(add_scratch(scratch));
    }
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
      add_symbol(i);
    }
    for (const TensorMapSpec& map : kernel_.tensor_maps) {
      WS_CHECK(add_map(map));
    }
    for (std::size_t i = 0; i < kernel_.launches.size(); ++i) {
      WS_CHECK(add_launch(i, workload, params));
    }
    line("}");
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }

  void number(const std::string& name, const std::string& value) {
    line("  [[maybe_unused]] const Int " + cpp_variable(name) + " = " + value + ";");
  }

  [[nodiscard]] static Result<std::string> expr(const std::string& text, const std::string& path) {
    const Result<std::string> made = cpp_expr(text);
    return made ? made : Result<std::string>(bad(path, made.error().message));
  }

  [[nodiscard]] static Result<std::string> exprs(const std::vector<std::string>& texts,
                                                 const std::string& path) {
    std::string list;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      WS_TRY(const std::string one, expr(texts[i], item(path, i)));
      list += (i == 0 ? "" : ", ") + one;
    }
    return "{" + list + "}";
  }

  void add_arguments() {
    line("  const Layouts of = layouts(given);");
    for (const DimSpec& dim : problem_.dims) {
      number(dim.name, "given." + cpp_variable(dim.name));
    }
    for (const ArgSpec& arg : problem_.args) {
      const std::string buffer = cpp_buffer(arg.name);
      if (arg.role != Role::kScalar) {
        line("  " + std::string(arg.role == Role::kIn ? "const void*" : "void*") + " const " +
             buffer + " = given." + buffer + ";");
        line("  [[maybe_unused]] const Layout& l_" + arg.name + " = of." + buffer + ";");
        line("  check_buffer(" + cpp_string(arg.name) + ", " + buffer + ", l_" + arg.name +
             ".span);");
      } else if (is_float(arg.type)) {
        line("  [[maybe_unused]] const double " + cpp_variable(arg.name) + " = given." +
             cpp_variable(arg.name) + ";");
      } else {
        number(arg.name, "given." + cpp_variable(arg.name));
      }
    }
  }

  Status add_scratch(const ScratchSpec& scratch) {
    WS_TRY(const std::string shape, exprs(scratch.shape, "scratch `" + scratch.name + "`"));
    const std::string layout = "l_" + scratch.name;
    line("  const Layout " + layout + " = layout(" + cpp_string(scratch.name) +
         ", std::vector<Int>" + shape + ");");
    const std::string bytes = "bytes_of(" + layout + ", " + element_bytes(scratch.type) + ")";
    line("  void* const " + cpp_buffer(scratch.name) + " = memory(" + bytes + ");");
    if (scratch.zero) {
      line("  check(cudaMemsetAsync(" + cpp_buffer(scratch.name) + ", 0, " + bytes +
           ", stream), \"cudaMemsetAsync\");");
    }
    return {};
  }

  void add_symbol(std::size_t index) {
    const std::string& of = kernel_.symbols[index].of;
    line("  check(" + scope_ + who_ + "_symbol_" + std::to_string(index) + "(" + cpp_buffer(of) +
         ", bytes_of(l_" + of + ", " + element_bytes(arguments_.type_of(of)) +
         "), stream), \"cudaMemcpyToSymbolAsync\");");
  }

  Status add_map(const TensorMapSpec& map) {
    const std::string path = "tensor_maps `" + map.name + "`";
    const DType own = arguments_.type_of(map.of);
    const DType type = map.type.value_or(own);
    const std::string layout = "l_" + map.of;
    std::string shape = "reversed(" + layout + ".shape)";
    if (map.shape) {
      WS_TRY(shape, exprs(*map.shape, path + ".shape"));
    }
    std::string strides = "strides_in_bytes(" + layout + ", " + element_bytes(own) + ")";
    if (map.strides) {
      WS_TRY(strides, exprs(*map.strides, path + ".strides"));
    }
    WS_TRY(const std::string box, exprs(map.box, path + ".box"));
    std::string steps = "std::vector<Int>(" + std::to_string(map.box.size()) + ", 1_i)";
    if (map.element_strides) {
      WS_TRY(steps, exprs(*map.element_strides, path + ".element_strides"));
    }
    const TensorMapModes& modes = map.modes;
    line("  const Typed<CUtensorMap> " + cpp_map(map.name) + " = tensor_map(" +
         cpp_string(map.name) + ", " + map_type(type) + ", " + element_bytes(type) + ", " +
         cpp_buffer(map.of) + ", bytes_of(" + layout + ", " + element_bytes(own) + "), " + shape +
         ", " + strides + ", " + box + ", " + steps + ", {" + std::to_string(modes.interleave) +
         ", " + std::to_string(modes.swizzle) + ", " + std::to_string(modes.l2) + ", " +
         std::to_string(modes.oob) + "});");
    return {};
  }

  /// Three extents; those that are not said are 1.
  [[nodiscard]] static Result<std::string> extents(std::vector<std::string> texts,
                                                   const std::string& path) {
    texts.resize(3, "1");
    return exprs(texts, path);
  }

  Status add_launch(std::size_t index, const Workload& workload, const Params& params) {
    const LaunchSpec& launch = kernel_.launches[index];
    const std::string path = item("launches", index);
    for (const RepeatSpec& repeat : launch.repeats) {
      WS_TRY(const std::string count, expr(repeat.count, path + ".repeat"));
      const std::string variable = cpp_variable(repeat.var);
      line("  for (Int " + variable + " = 0; " + variable + " < " + count + "; " + variable +
           " = " + variable + " + 1_i) {");
    }
    WS_TRY(const std::string grid, extents(launch.grid, path + ".grid"));
    WS_TRY(const std::string block, extents(launch.block, path + ".block"));
    WS_TRY(const std::string cluster, extents(launch.cluster, path + ".cluster"));
    WS_TRY(const std::string shared, expr(launch.shared_bytes, path + ".shared_bytes"));
    WS_TRY(const std::string entry, substitute_entry(kernel_, workload, params, launch.entry));
    std::string call = "  launch(" + scope_ + who_ + "_entry_" + std::to_string(number_of(entry)) +
                       ", {" + cpp_string(path + " of " + who_) + ", " + grid + ", " + block +
                       ", " + shared + ", " + cluster + ", " +
                       (launch.cooperative ? "true" : "false") + ", " +
                       (launch.pdl ? "true" : "false") + "}, stream";
    for (std::size_t i = 0; i < launch.args.size(); ++i) {
      WS_TRY(const std::string argument, arguments_.text(launch.args[i], item(path + ".args", i)));
      call += ",\n         " + argument;
    }
    line(call + ");");
    line(launch.repeats.empty() ? "" : "  " + std::string(launch.repeats.size(), '}'));
    return {};
  }

  std::size_t number_of(const std::string& entry) {
    const auto known = std::ranges::find(entries_, entry);
    const auto number = static_cast<std::size_t>(known - entries_.begin());
    if (known == entries_.end()) {
      entries_.push_back(entry);
    }
    return number;
  }

  const Problem& problem_;
  const Kernel& kernel_;
  const std::string who_;
  const std::string scope_;
  const HostArguments arguments_;
  std::vector<std::string> entries_;  // In the order of RenderedSource::entries.
  std::string text_;
};

}  // namespace

std::string entries_text(const RenderedSource& source, const Kernel& kernel,
                         const std::string& who) {
  std::string text;
  for (std::size_t i = 0; i < source.entries.size(); ++i) {
    text += "static auto* const " + who + "_entry_" + std::to_string(i) + " = &" +
            source.entries[i] + ";\n";
  }
  for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
    text += "static cudaError_t " + who + "_symbol_" + std::to_string(i) +
            "(const void* from, std::size_t bytes, cudaStream_t stream) {\n  return "
            "cudaMemcpyToSymbolAsync(" +
            kernel.symbols[i].name + ", from, bytes, 0, cudaMemcpyDeviceToDevice, stream);\n}\n";
  }
  return text;
}

Result<std::string> run_text(const Problem& problem, const Kernel& kernel, const Workload& workload,
                             const Params& params, const std::string& who, std::string_view space) {
  const std::string scope = space.empty() ? "::" : "::" + std::string(space) + "::";
  return RunWriter(problem, kernel, who, scope).write(workload, params);
}

}  // namespace ws
