#include "runtime/handover/launch_text.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/handover/launcher.h"
#include "runtime/kernel/plan/placeholders.h"

namespace ws {
std::string launch_parameter(const ArgSpec& arg) {
  return (arg.role == Role::kIn ? "const void* arg_" : "void* arg_") + arg.name;
}

Result<std::string> span_text(const ArgSpec& arg, const CppNames& names) {
  WS_TRY(const std::vector<std::string> shape, cpp_expressions(arg.shape, names));
  if (!arg.strides) {
    return cpp_product(shape);
  }
  WS_TRY(const std::vector<std::string> strides, cpp_expressions(*arg.strides, names));
  std::string last = "std::int64_t{1}";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    last += " + (" + shape[axis] + " - 1) * " + strides[axis];
  }
  return "(" + last + ")";
}

LaunchText::LaunchText(const Problem& problem, const Kernel& kernel, const Params& params)
    : problem_(problem),
      kernel_(kernel),
      params_(params) {
  for (const DimSpec& dim : problem.dims) {
    names_[dim.name] = "numbers." + cpp_word(dim.name);
  }
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      names_[arg.name] = "numbers." + cpp_word(arg.name);
    }
  }
  for (const auto& [name, value] : params) {
    names_[name] = "std::int64_t{" + std::to_string(value) + "}";
  }
}

Result<std::string> LaunchText::body() {
  WS_TRY(std::string text, scratch());
  WS_TRY(const std::string filled, symbols());
  text += filled;
  for (const TensorMapSpec& map : kernel_.tensor_maps) {
    WS_TRY(const std::string made, tensor_map(map));
    text += made;
  }
  WS_TRY(const std::string launched, launches());
  return text + launched;
}

Result<std::string> LaunchText::scratch() {
  std::string text;
  for (const ScratchSpec& scratch : kernel_.scratch) {
    WS_TRY(const std::vector<std::string> shape, cpp_expressions(scratch.shape, names_));
    text += "  const handover::Scratch scratch_" + scratch.name + "(" + cpp_product(shape) + " * " +
            std::to_string(size_of(scratch.type)) + ", " + (scratch.zero ? "true" : "false") +
            ", stream);\n";
  }
  return text;
}

Result<std::string> LaunchText::symbols() {
  std::string text;
  for (const SymbolSpec& symbol : kernel_.symbols) {
    const ArgSpec* const arg = problem_.find_arg(symbol.of);
    if (arg == nullptr) {
      return fail(ErrorCode::kInvalidArgument, "symbols: unknown argument `" + symbol.of + "`");
    }
    WS_TRY(const std::string span, span_text(*arg, names_));
    text += "  handover::check(cudaMemcpyToSymbolAsync(" + symbol.name + ", arg_" + arg->name +
            ", static_cast<std::size_t>(" + span + " * " + std::to_string(size_of(arg->type)) +
            "), 0, cudaMemcpyDeviceToDevice, stream), \"a variable\");\n";
  }
  return text;
}

Result<std::string> LaunchText::list(const std::vector<std::string>& expressions) {
  WS_TRY(const std::vector<std::string> texts, cpp_expressions(expressions, names_));
  return cpp_list(texts);
}

Result<std::string> LaunchText::launches() {
  std::string text;
  for (const LaunchSpec& spec : kernel_.launches) {
    std::string indent = "  ";
    std::string close;
    const CppNames outer = names_;
    for (const RepeatSpec& repeat : spec.repeats) {
      WS_TRY(const std::string count, cpp_expression(repeat.count, names_));
      const std::string var = "at_" + repeat.var;
      names_[repeat.var] = var;
      text += indent + "for (std::int64_t " + var + " = 0; " + var + " < " + count + "; ++" + var +
              ") {\n";
      close.insert(0, indent + "}\n");
      indent += "  ";
    }
    WS_TRY(const std::string one, launch(spec, indent));
    text += one + close;
    names_ = outer;
  }
  return text;
}

Result<std::string> LaunchText::launch(const LaunchSpec& spec, const std::string& indent) {
  WS_TRY(const std::string grid, list(spec.grid));
  WS_TRY(const std::string block, list(spec.block));
  WS_TRY(const std::string cluster, list(spec.cluster));
  WS_TRY(const std::string shared, cpp_expression(spec.shared_bytes, names_));
  WS_TRY(const std::string entry, substitute_entry(kernel_, {}, params_, spec.entry));
  const std::string whole = entry.starts_with("::") ? entry : "::" + entry;
  std::string text = indent + "{\n" + indent + "  handover::Shape shape;\n" + indent +
                     "  shape.grid = handover::extent(" + grid + ");\n" + indent +
                     "  shape.block = handover::extent(" + block + ");\n" + indent +
                     "  shape.shared = static_cast<std::size_t>(" + shared + ");\n";
  if (!cluster.empty()) {
    text += indent + "  shape.cluster = handover::extent(" + cluster + ");\n";
  }
  text += spec.cooperative ? indent + "  shape.cooperative = true;\n" : "";
  text += spec.pdl ? indent + "  shape.overlaps = true;\n" : "";
  text += indent + "  handover::run(" + whole + ", shape, stream";
  for (const LaunchArgSpec& arg : spec.args) {
    WS_TRY(const std::string passed, argument(arg));
    text += ",\n" + indent + "                " + passed;
  }
  return text + ");\n" + indent + "}\n";
}

Result<std::string> LaunchText::argument(const LaunchArgSpec& arg) {
  switch (arg.kind) {
    case LaunchArgSpec::Kind::kNull:
      return std::string("nullptr");
    case LaunchArgSpec::Kind::kBuffer: {
      WS_TRY(const std::string base, buffer(arg.name));
      WS_TRY(const std::string offset, cpp_expression(arg.offset, names_));
      const ArgSpec* const spec = problem_.find_arg(arg.name);
      std::size_t bytes = spec == nullptr ? 1 : size_of(spec->type);
      for (const ScratchSpec& scratch : kernel_.scratch) {
        bytes = scratch.name == arg.name ? size_of(scratch.type) : bytes;
      }
      return "handover::moved(" + base + ", " + offset + " * " + std::to_string(bytes) + ")";
    }
    case LaunchArgSpec::Kind::kStruct: {
      std::string text = "handover::Bytes()";
      for (const LaunchArgSpec& member : arg.members) {
        WS_TRY(const std::string passed, value(member));
        text += ".add(" + passed + ")";
      }
      return text;
    }
    case LaunchArgSpec::Kind::kValue:
      return value(arg);
    case LaunchArgSpec::Kind::kName:
      break;
  }
  for (const TensorMapSpec& map : kernel_.tensor_maps) {
    if (map.name == arg.name && !names_.contains(arg.name)) {
      return "map_" + map.name;
    }
  }
  return names_.contains(arg.name) ? names_.at(arg.name) : buffer(arg.name);
}

/// A number; those of a struct need the exact type.
Result<std::string> LaunchText::value(const LaunchArgSpec& arg) {
  if (arg.kind == LaunchArgSpec::Kind::kName) {
    const ArgSpec* const scalar = problem_.find_arg(arg.name);
    const std::string type = scalar == nullptr ? "std::int32_t" : cpp_type(scalar->type);
    WS_TRY(const std::string text, cpp_expression(arg.name, names_));
    return "static_cast<" + type + ">(" + text + ")";
  }
  const Result<std::string> whole = cpp_expression(arg.value, names_);
  if (!whole && !is_float(arg.type)) {
    return fail(whole.error());
  }
  return "static_cast<" + cpp_type(arg.type) + ">(" +
         (whole ? *whole : "std::strtod(" + cpp_literal(arg.value) + ", nullptr)") + ")";
}

Result<std::string> LaunchText::buffer(const std::string& name) const {
  const ArgSpec* const arg = problem_.find_arg(name);
  if (arg != nullptr) {
    return arg->role == Role::kIn ? "const_cast<void*>(arg_" + name + ")" : "arg_" + name;
  }
  for (const ScratchSpec& scratch : kernel_.scratch) {
    if (scratch.name == name) {
      return "scratch_" + name + ".get()";
    }
  }
  return fail(ErrorCode::kInvalidArgument, "the plan names `" + name + "`, which is no buffer");
}

}  // namespace ws
