#include "runtime/device/bind_names.h"

#include <algorithm>

namespace ws {
namespace {

std::string extents(const std::array<std::int64_t, 3>& block) {
  return std::to_string(block[0]) + "x" + std::to_string(block[1]) + "x" + std::to_string(block[2]);
}

/// "a, b, n", or "nothing".
template <typename Items, typename Name>
std::string list_of(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "" : ", ") + name(item);
  }
  return text.empty() ? "nothing" : text;
}

std::string passed_names(const LaunchStep& step) {
  return list_of(step.args, [](const LaunchArg& arg) { return arg.as; });
}

const char* kind_of(const EntryParam& param) {
  return param.pointer ? "binding" : "constant";
}

Status check_params(const LaunchStep& step, const CompiledEntry& entry, const std::string& where) {
  for (const EntryParam& param : entry.params) {
    if (std::ranges::find(step.args, param.name, &LaunchArg::as) == step.args.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(kind_of(param)) + " `" + param.name + "` of `" + step.entry +
                      "` is not an argument of " + where + "; it has " + passed_names(step),
                  "pass it in the launch's `args`, under its name in the shader");
    }
  }
  return {};
}

Status check_args(const LaunchStep& step, const CompiledEntry& entry, const std::string& where) {
  for (std::size_t k = 0; k < step.args.size(); ++k) {
    const std::string& name = step.args[k].as;
    const std::string place = where + ".args[" + std::to_string(k) + "]";
    if (std::ranges::find(entry.params, name, &EntryParam::name) == entry.params.end()) {
      const std::string known =
          list_of(entry.params, [](const EntryParam& param) { return param.name; });
      return fail(ErrorCode::kInvalidArgument,
                  place + ": `" + step.entry + "` uses no binding and no constant `" + name +
                      "`; it uses " + known,
                  "leave the argument out, or use it in the shader");
    }
    if (std::ranges::count(step.args, name, &LaunchArg::as) > 1) {
      return fail(ErrorCode::kInvalidArgument, place + ": `" + name + "` is passed twice");
    }
  }
  return {};
}

Status check_elements(const LaunchStep& step, const CompiledEntry& entry,
                      const std::vector<BufferSpec>& buffers, const std::string& where) {
  for (const EntryParam& param : entry.params) {
    const LaunchArg& arg = argument_named(step, param.name);
    if (param.element.empty() || arg.kind != LaunchArg::Kind::kBuffer) {
      continue;
    }
    const BufferSpec& buffer = buffers.at(static_cast<std::size_t>(arg.buffer));
    const DType type = buffer.type == DType::kTf32 ? DType::kF32 : buffer.type;
    if (param.element != name_of(type)) {
      return fail(ErrorCode::kInvalidArgument,
                  where + ": buffer `" + buffer.name + "` holds " +
                      std::string(name_of(buffer.type)) + ", but `" + param.name + "` of `" +
                      step.entry + "` is " + param.type,
                  "declare it with the buffer's element type, or as words of `uint`");
    }
  }
  return {};
}

}  // namespace

const LaunchArg& argument_named(const LaunchStep& step, std::string_view name) {
  const auto at = std::ranges::find(step.args, name, &LaunchArg::as);
  return at == step.args.end() ? step.args.front() : *at;
}

Status check_names(const LaunchStep& step, const CompiledEntry& entry,
                   const std::vector<BufferSpec>& buffers, const std::string& where) {
  WS_CHECK(check_params(step, entry, where));
  WS_CHECK(check_args(step, entry, where));
  WS_CHECK(check_elements(step, entry, buffers, where));
  if (entry.block != step.block) {
    return fail(ErrorCode::kInvalidArgument,
                where + ".block is " + extents(step.block) + ", but `" + step.entry +
                    "` has groups of " + extents(entry.block) + " threads",
                "say the same in the launch and in the source");
  }
  return {};
}

}  // namespace ws
