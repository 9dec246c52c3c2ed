#include "runtime/lift/tile/padding.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ws::lift::tile {
namespace {

struct PaddingName {
  std::string_view name;
  std::string_view word;  ///< `pad` of CuIR's load.
};

constexpr std::array<PaddingName, 12> kPaddings = {{{"UNDETERMINED", "none"},
                                                    {"ZERO", "zero"},
                                                    {"NEG_ZERO", "-zero"},
                                                    {"NAN", "nan"},
                                                    {"POS_INF", "inf"},
                                                    {"NEG_INF", "-inf"},
                                                    {"Undetermined", "none"},
                                                    {"Zero", "zero"},
                                                    {"NegZero", "-zero"},
                                                    {"Nan", "nan"},
                                                    {"PosInf", "inf"},
                                                    {"NegInf", "-inf"}}};

}  // namespace

std::optional<std::string> padding_word(const Value* mode) {
  if (mode == nullptr) {
    return "none";
  }
  const std::string last = mode->text.substr(mode->text.rfind('.') + 1);
  const auto* const row =
      std::ranges::find_if(kPaddings, [&](const PaddingName& each) { return each.name == last; });
  return row == kPaddings.end() ? std::nullopt : std::optional(std::string(row->word));
}

std::string padding_value(const std::string& word) {
  return word == "none"    ? "undetermined()"
         : word == "zero"  ? "0"
         : word == "-zero" ? "-0.0"
         : word == "nan"   ? "inf - inf"
                           : word;
}

}  // namespace ws::lift::tile
