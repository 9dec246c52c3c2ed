#include "runtime/device/tile/finding_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ws {
namespace {

struct Fix {
  std::string_view kind;
  std::string_view triton;
  std::string_view cutile;
};

constexpr std::array<Fix, 5> kFixes = {
    {{"out_of_bounds", "pass a mask: tl.load(pointer, mask=offsets < size)",
      "leave check_bounds at its default"},
     {"tile_outside", "end the loop, or the grid, at cdiv(size, block)",
      "end the loop, or the grid, at ct.num_tiles(array, axis, shape)"},
     {"undetermined_value",
      "give tl.load an `other`, or use tl.where(mask, x, 0) before elements are combined",
      "give ct.load a `padding_mode`, or choose with `where` before elements are combined"},
     {"block_conflict", "give each block a part of its own, or use tl.atomic_add",
      "give each block a part of its own, or use ct.atomic_add"},
     {"input_modified", "store to an output, or give the argument the role `inout`",
      "store to an output, or give the argument the role `inout`"}}};

}  // namespace

TileFinding in_words_of(const std::string& language, TileFinding finding) {
  for (const std::string_view name : {"`gather`: ", "`scatter`: ", "`scatter_add`: "}) {
    if (finding.message.starts_with(name)) {
      finding.message.erase(0, name.size());
    }
  }
  const auto* const fix =
      std::ranges::find_if(kFixes, [&](const Fix& each) { return each.kind == finding.kind; });
  if (fix != kFixes.end()) {
    finding.fix = language == "triton" ? fix->triton : fix->cutile;
  } else if (finding.kind == "duplicate_index") {
    const std::size_t at = finding.message.find(" of `indices`");
    if (at != std::string::npos) {
      finding.message.replace(at, std::string_view(" of `indices`").size(), " of one store");
    }
  }
  return finding;
}

}  // namespace ws
