#include "runtime/device/bind_argument.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/device/tensor_map_size.h"

namespace ws {
namespace {

/// As declared; a binary keeps the type only.
std::string declared(const EntryParam& param) {
  return param.name.empty() ? param.type : param.type + " " + param.name;
}

Status check_tensor_map(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  if (!param.pointer && !param.integer && param.size == kTensorMapBytes) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              where + ": argument `" + arg.text + "` is a tensor map, but parameter `" +
                  declared(param) + "` is not",
              "declare it as `const __grid_constant__ CUtensorMap`");
}

/// By its type's name, where the binary keeps it: a handle is a plain integer.
bool takes_texture(const EntryParam& param) {
  return param.type.find("cudaTextureObject_t") != std::string::npos;
}

Status check_texture(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  if (!param.pointer && param.integer && param.size == sizeof(std::uint64_t)) {
    return {};
  }
  return fail(ErrorCode::kInvalidArgument,
              where + ": argument `" + arg.text + "` is a texture, but parameter `" +
                  declared(param) + "` is not",
              "declare it as `cudaTextureObject_t`");
}

/// The members as a struct of C has them: each aligned to its size, the whole to the largest.
std::vector<std::uint8_t> struct_bytes(const LaunchArg& arg) {
  std::vector<std::uint8_t> bytes;
  std::size_t alignment = 1;
  const auto align = [&bytes](std::size_t to) { bytes.resize((bytes.size() + to - 1) / to * to); };
  for (const LaunchArg& member : arg.members) {
    const std::size_t size = size_of(member.type);
    std::uint64_t value = static_cast<std::uint64_t>(member.int_value);
    if (is_float(member.type)) {
      value = 0;
      store_element(member.type, &value, 0, member.float_value);
    }
    align(size);
    alignment = std::max(alignment, size);
    const std::size_t at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, &value, size);  // Little-endian: low bytes first.
  }
  align(alignment);
  return bytes;
}

Status check_struct(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  const std::string what = where + ": argument `" + arg.text + "` ";
  if (param.pointer) {
    return fail(ErrorCode::kInvalidArgument,
                what + "is a struct, but parameter `" + declared(param) + "` is a pointer",
                "match the launch's args with the entry's parameters");
  }
  if (const std::size_t bytes = struct_bytes(arg).size(); bytes != param.size) {
    return fail(ErrorCode::kInvalidArgument,
                what + "has " + std::to_string(bytes) + " bytes, but parameter `" +
                    declared(param) + "` has " + std::to_string(param.size),
                "list every member in order; those of a dim or parameter by name are i32");
  }
  return {};
}

}  // namespace

std::string parameter_list(const CompiledEntry& entry) {
  std::string text;
  for (const EntryParam& param : entry.params) {
    text += (text.empty() ? "" : ", ") + declared(param);
  }
  return "(" + text + ")";
}

Status check_argument(const LaunchArg& arg, const EntryParam& param, const std::string& where) {
  if (param.folded) {
    return {};
  }
  if (arg.kind == LaunchArg::Kind::kTensorMap) {
    return check_tensor_map(arg, param, where);
  }
  if (arg.kind == LaunchArg::Kind::kTexture) {
    return check_texture(arg, param, where);
  }
  if (takes_texture(param)) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": argument `" + arg.text + "` is not a texture, but parameter `" +
                    declared(param) + "` is",
                R"(say {"texture": "<buffer>", "width": "...", "height": "..."})");
  }
  if (arg.kind == LaunchArg::Kind::kStruct) {
    return check_struct(arg, param, where);
  }
  const bool wants_pointer = arg.kind != LaunchArg::Kind::kScalar;
  const std::string what = "argument `" + arg.text + "`";
  const std::string takes = "parameter `" + declared(param) + "`";
  if (wants_pointer != param.pointer) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": " + what + " is " + (wants_pointer ? "a buffer" : "a scalar") +
                    ", but " + takes + (param.pointer ? " is a pointer" : " is not a pointer"),
                "match the launch's args with the entry's parameters");
  }
  if (wants_pointer) {
    return {};
  }
  if (is_float(arg.type) == param.integer) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": " + what + " is of type " + std::string(name_of(arg.type)) + ", but " +
                    takes + (param.integer ? " is an integer" : " is not an integer"),
                R"(say {"value": "...", "type": "..."})");
  }
  const bool any_size = arg.any_int && (param.size == 4 || param.size == 8);
  if (!any_size && param.size != size_of(arg.type)) {
    return fail(ErrorCode::kInvalidArgument,
                where + ": " + what + " has " + std::to_string(size_of(arg.type)) + " bytes (" +
                    std::string(name_of(arg.type)) + "), but " + takes + " has " +
                    std::to_string(param.size),
                R"(say {"value": "...", "type": "..."})");
  }
  return {};
}

RunArg bind_argument(const LaunchArg& arg, const EntryParam& param, const Arena& arena) {
  RunArg bound;
  bound.pointer = param.pointer;
  bound.null = arg.kind == LaunchArg::Kind::kNull;
  bound.tensor_map = arg.tensor_map;
  bound.texture = arg.texture;
  if (arg.kind == LaunchArg::Kind::kStruct) {
    bound.bytes = struct_bytes(arg);
  }
  if (arg.kind == LaunchArg::Kind::kBuffer) {
    const auto buffer = static_cast<std::size_t>(arg.buffer);
    bound.low = arena.offset(buffer);
    bound.high = bound.low + arena.buffer(buffer).size();
    bound.value = bound.low + static_cast<std::uint64_t>(arg.byte_offset);
  } else if (arg.kind == LaunchArg::Kind::kScalar && is_float(arg.type)) {
    store_element(arg.type, &bound.value, 0, arg.float_value);
  } else if (arg.kind == LaunchArg::Kind::kScalar) {
    bound.value = static_cast<std::uint64_t>(arg.int_value);  // Little-endian: low bytes first.
  }
  return bound;
}

}  // namespace ws
