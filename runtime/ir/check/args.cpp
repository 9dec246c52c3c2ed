// How the arguments of a call meet the signature of an operation.
#include <algorithm>
#include <array>

#include "runtime/base/nearest.h"
#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

std::vector<std::string> names_of(const std::vector<OpParam>& params) {
  std::vector<std::string> names;
  for (const OpParam& param : params) {
    names.push_back(param.name);
  }
  return names;
}

bool fits(ArgKind kind, const Type& type) {
  switch (kind) {
    case ArgKind::kNum:
      return type.is_tile() || type.is_number();
    case ArgKind::kInt:
      return type.kind == Kind::kInt || type.kind == Kind::kBool;
    case ArgKind::kBool:
      return type.kind == Kind::kBool || type.kind == Kind::kInt;
    case ArgKind::kStr:
      return type.kind == Kind::kString;
    case ArgKind::kDtype:
      return type.kind == Kind::kString || type.kind == Kind::kDtype;
    case ArgKind::kShape:
    case ArgKind::kIndex:
      return type.kind == Kind::kInt ||
             (type.kind == Kind::kTuple &&
              std::all_of(type.items.begin(), type.items.end(),
                          [](const Type& item) { return item.kind == Kind::kInt; }));
    case ArgKind::kTensor:
      return type.kind == Kind::kBuffer && type.space == Space::kGlobal;
    case ArgKind::kBuffer:
      return type.kind == Kind::kBuffer;
    case ArgKind::kBarrier:
      return type.kind == Kind::kBarrier && (type.shape.empty() || type.shape == Shape{1});
    case ArgKind::kBytes:
      return fits(ArgKind::kInt, type) ||
             (type.kind == Kind::kBuffer && type.space == Space::kShared);
    case ArgKind::kMethod:
      return type.kind == Kind::kMethod;
    case ArgKind::kAny:
      return true;
  }
  return false;
}

}  // namespace

std::string describe(ArgKind kind) {
  constexpr std::array<const char*, 13> words = {"a tile or a number",
                                                 "an integer",
                                                 "True or False",
                                                 "a text",
                                                 "an element type such as \"f16\"",
                                                 "a tuple of sizes",
                                                 "an integer or a tuple of integers",
                                                 "an argument of the kernel",
                                                 "a buffer",
                                                 "a barrier",
                                                 "a number of bytes or a buffer in shared memory",
                                                 "a method of the class",
                                                 "a value"};
  return words.at(static_cast<std::size_t>(kind));
}

Status check_arg(const OpParam& param, const Type& type) {
  if (fits(param.kind, type) || (type.kind == Kind::kNone && !param.required)) {
    return {};
  }
  const bool array = type.kind == Kind::kBarrier && param.kind == ArgKind::kBarrier;
  return bad("`" + param.name + "` must be " + describe(param.kind) + ", got " + describe(type),
             array ? "say which one: bars[i]" : "");
}

Result<std::vector<std::size_t>> bind_args(const OpInfo& info, std::size_t positional,
                                           std::span<const std::string> keywords) {
  const std::vector<OpParam>& params = info.params;
  std::vector<std::size_t> slots(params.size(), kLeftOut);
  const bool repeats = !params.empty() && params.back().repeated;
  if (positional > params.size() && !repeats) {
    return bad("takes " + std::to_string(params.size()) +
                   (params.size() == 1 ? " argument" : " arguments") + ", got " +
                   std::to_string(positional),
               params.empty() ? "" : "arguments: " + std::string(info.signature));
  }
  slots.resize(std::max(params.size(), positional), kLeftOut);
  for (std::size_t i = 0; i < positional; ++i) {
    slots[i] = i;
  }
  for (std::size_t i = 0; i < keywords.size(); ++i) {
    const auto found = std::find_if(params.begin(), params.end(), [&](const OpParam& param) {
      return param.name == keywords[i];
    });
    if (found == params.end()) {
      return bad("has no argument `" + keywords[i] + "`", suggest(keywords[i], names_of(params)));
    }
    std::size_t& slot = slots[static_cast<std::size_t>(found - params.begin())];
    if (slot != kLeftOut) {
      return bad("argument `" + keywords[i] + "` is given twice");
    }
    slot = positional + i;
  }
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].required && slots[i] == kLeftOut) {
      return bad("argument `" + params[i].name + "` is missing",
                 "arguments: " + std::string(info.signature));
    }
  }
  return slots;
}

}  // namespace ws::ir
