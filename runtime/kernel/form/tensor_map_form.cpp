// One item of `tensor_maps`.
#include <algorithm>
#include <array>
#include <span>

#include <nlohmann/json.hpp>

#include "runtime/base/nearest.h"
#include "runtime/kernel/form/kernel_form.h"
#include "runtime/kernel/plan/tensor_map.h"

namespace ws {
namespace {

// In the order of the driver's numbers.
constexpr std::array kInterleaves = {"none", "16B", "32B"};
constexpr std::array kSwizzles = {"none", "32B", "64B", "128B"};
constexpr std::array kPromotions = {"none", "64B", "128B", "256B"};
constexpr std::array kFills = {"zero", "nan"};

struct ModeRow {
  const char* field;
  std::span<const char* const> words;
  std::uint32_t TensorMapModes::* mode;
};

constexpr std::array kModes = {
    ModeRow{"interleave", kInterleaves, &TensorMapModes::interleave},
    ModeRow{"swizzle", kSwizzles, &TensorMapModes::swizzle},
    ModeRow{"l2", kPromotions, &TensorMapModes::l2},
    ModeRow{"oob", kFills, &TensorMapModes::oob},
};

struct SizesRow {
  const char* field;
  std::size_t least;
  std::optional<std::vector<std::string>> TensorMapSpec::* sizes;
};

constexpr std::array kSizes = {
    SizesRow{"shape", 1, &TensorMapSpec::shape},
    SizesRow{"strides", 0, &TensorMapSpec::strides},
    SizesRow{"element_strides", 1, &TensorMapSpec::element_strides},
};

}  // namespace

Result<std::uint32_t> read_word(const JsonReader& form, std::span<const char* const> words) {
  std::string known;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (form.is_text() && form.json() == words[i]) {
      return static_cast<std::uint32_t>(i);
    }
    known += std::string(i == 0 ? "" : ", ") + "`" + words[i] + "`";
  }
  return form.expected("one of " + known);
}

Status check_descriptor(const JsonReader& form) {
  for (const char* const field : {"type", "element_strides", "interleave", "swizzle", "l2"}) {
    if (const auto found = form.find(field)) {
      return found->error("a tensor descriptor of Triton has no `" + std::string(field) + "`",
                          "leave it out");
    }
  }
  return {};
}

Result<TensorMapSpec> read_tensor_map(const JsonReader& form, const LaunchScope& scope) {
  WS_CHECK(form.check_fields({"name", "of", "type", "shape", "strides", "box", "element_strides",
                              "interleave", "swizzle", "l2", "oob"}));
  TensorMapSpec map;
  WS_TRY(const JsonReader name, form.require("name"));
  WS_TRY(map.name, name.identifier());
  WS_TRY(const JsonReader of, form.require("of"));
  WS_TRY(map.of, of.text(kMaxNameBytes));
  if (std::find(scope.buffers.begin(), scope.buffers.end(), map.of) == scope.buffers.end()) {
    return of.error("unknown buffer `" + map.of + "`", suggest(map.of, scope.buffers));
  }
  if (const auto type = form.find("type")) {
    WS_TRY(map.type, type->dtype());
  }
  for (const SizesRow& row : kSizes) {
    if (const auto sizes = form.find(row.field)) {
      WS_TRY(map.*row.sizes, sizes->expressions(scope.integers, row.least, kMaxMapRank));
    }
  }
  WS_TRY(const JsonReader box, form.require("box"));
  WS_TRY(map.box, box.expressions(scope.integers, 1, kMaxMapRank));
  for (const ModeRow& row : kModes) {
    if (const auto mode = form.find(row.field)) {
      WS_TRY(map.modes.*row.mode, read_word(*mode, row.words));
    }
  }
  return map;
}

}  // namespace ws
