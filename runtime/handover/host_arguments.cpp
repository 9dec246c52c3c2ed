#include "runtime/handover/host_arguments.h"

#include <algorithm>
#include <charconv>

#include "runtime/handover/cpp_expr.h"
#include "runtime/handover/words.h"
#include "runtime/kernel/expr/evaluate.h"

namespace ws {
namespace {

Result<std::string> expr_at(const std::string& text, const std::string& path) {
  const Result<std::string> made = cpp_expr(text);
  return made ? made : Result<std::string>(bad(path, made.error().message));
}

std::string narrowed(DType type, const std::string& value, const std::string& what) {
  return "narrow<" + std::string(cpp_type(type)) + ">(" + value + ", " + cpp_string(what) + ")";
}

std::string scalar_value(const ArgSpec& arg) {
  const std::string value = cpp_variable(arg.name);
  return is_float(arg.type) ? "as_" + std::string(name_of(arg.type)) + "(" + value + ")"
                            : narrowed(arg.type, value, arg.name);
}

Result<std::string> value_of(const LaunchArgSpec& arg, const std::string& path) {
  const std::string convert = "as_" + std::string(name_of(arg.type)) + "(";
  double number = 0;
  const char* const end = arg.value.data() + arg.value.size();
  const auto [stop, code] = std::from_chars(arg.value.data(), end, number);
  if (is_float(arg.type) && code == std::errc() && stop == end) {
    return convert + number_text(number) + ")";
  }
  WS_TRY(const std::string value, expr_at(arg.value, path));
  return is_float(arg.type) ? convert + "static_cast<double>((" + value + ").value()))"
                            : narrowed(arg.type, value, arg.value);
}

}  // namespace

std::string element_bytes(DType type) {
  return std::to_string(size_of(type));
}

Result<std::string> HostArguments::text(const LaunchArgSpec& arg, const std::string& path) const {
  switch (arg.kind) {
    case LaunchArgSpec::Kind::kName:
      return named_argument(arg.name);
    case LaunchArgSpec::Kind::kValue: {
      WS_TRY(const std::string value, value_of(arg, path));
      return "typed(" + value + ")";
    }
    case LaunchArgSpec::Kind::kBuffer: {
      WS_TRY(const std::string offset, expr_at(arg.offset, path + ".offset"));
      return "Address{inside(" + cpp_buffer(arg.name) + ", " + offset + ", l_" + arg.name +
             ".span, " + element_bytes(type_of(arg.name)) + ", " +
             cpp_string("the offset `" + arg.offset + "` into `" + arg.name + "`") + ")}";
    }
    case LaunchArgSpec::Kind::kStruct:
      return struct_of(arg, path);
    case LaunchArgSpec::Kind::kTexture:
      return fail(ErrorCode::kUnsupported,
                  path + " is a texture, and the host code that is written here makes none",
                  "read the buffer through a pointer instead");
    case LaunchArgSpec::Kind::kNull:
      break;
  }
  return std::string("Address{nullptr}");
}

std::string HostArguments::named_argument(const std::string& name) const {
  const ArgSpec* const arg = problem_.find_arg(name);
  const bool map = std::ranges::any_of(kernel_.tensor_maps,
                                       [&](const TensorMapSpec& own) { return own.name == name; });
  const bool scratch = std::ranges::any_of(
      kernel_.scratch, [&](const ScratchSpec& own) { return own.name == name; });
  if (arg != nullptr && arg->role == Role::kScalar) {
    return "typed(" + scalar_value(*arg) + ")";
  }
  if (map) {
    return cpp_map(name);
  }
  return arg != nullptr || scratch ? "Address{" + cpp_buffer(name) + "}"
                                   : "Whole{" + cpp_variable(name) + ", " + cpp_string(name) + "}";
}

/// A struct with members of the same sizes in the same order lies in memory in the same way.
Result<std::string> HostArguments::struct_of(const LaunchArgSpec& arg,
                                             const std::string& path) const {
  std::string members;
  std::string values;
  for (std::size_t i = 0; i < arg.members.size(); ++i) {
    const LaunchArgSpec& member = arg.members[i];
    DType type = DType::kI32;
    std::string value;
    if (member.kind == LaunchArgSpec::Kind::kValue) {
      type = member.type;
      WS_TRY(value, value_of(member, item(path, i)));
    } else if (const ArgSpec* const scalar = problem_.find_arg(member.name)) {
      type = scalar->type;
      value = scalar_value(*scalar);
    } else {
      value = narrowed(type, cpp_variable(member.name), member.name);
    }
    members += std::string(cpp_type(type)) + " e" + std::to_string(i) + "; ";
    values += (i == 0 ? "" : ", ") + value;
  }
  return "[&] { struct { " + members + "} bytes = {" + values + "}; return typed(bytes); }()";
}

DType HostArguments::type_of(const std::string& buffer) const {
  for (const ScratchSpec& scratch : kernel_.scratch) {
    if (scratch.name == buffer) {
      return scratch.type;
    }
  }
  const ArgSpec* const arg = problem_.find_arg(buffer);
  return arg == nullptr ? DType::kI32 : arg->type;
}

std::string_view cpp_type(DType type) {
  switch (type) {
    case DType::kF64:
      return "double";
    case DType::kF32:
    case DType::kTf32:
      return "float";
    case DType::kF16:
      return "__half";
    case DType::kBf16:
      return "__nv_bfloat16";
    case DType::kF8e4m3:
    case DType::kF8e5m2:
      return "__nv_fp8_storage_t";
    case DType::kI64:
      return "std::int64_t";
    case DType::kI32:
      return "std::int32_t";
    case DType::kI16:
      return "std::int16_t";
    case DType::kI8:
      return "std::int8_t";
    case DType::kU64:
      return "std::uint64_t";
    case DType::kU32:
      return "std::uint32_t";
    case DType::kU16:
      return "std::uint16_t";
    case DType::kU8:
      return "std::uint8_t";
    case DType::kBool:
      break;
  }
  return "bool";
}

}  // namespace ws
