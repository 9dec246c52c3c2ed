#include <array>
#include <cstring>
#include <vector>

#include "runtime/judge/draws.h"
#include "runtime/judge/layout.h"
#include "runtime/judge/random.h"

namespace ws {
namespace {

/// The values of an input: a row has two of them.
constexpr std::size_t kValues = 4;

}  // namespace

Status draw_ties(const Canvas& canvas) {
  WS_CHECK(draw_declared(canvas));
  const auto elements = static_cast<std::uint64_t>(canvas.spec.elements);
  if (elements == 0) {
    return {};
  }
  const RowView view(canvas.spec);
  const std::size_t bytes = size_of(canvas.spec.type);
  const auto place = [&](std::int64_t offset) {
    return canvas.bytes.data() + static_cast<std::size_t>(offset) * bytes;
  };
  Random random(~canvas.seed);
  std::array<std::vector<std::byte>, kValues> values;
  for (std::vector<std::byte>& value : values) {
    const std::byte* drawn =
        place(view.offset_of(static_cast<std::int64_t>(random.below(elements))));
    value.assign(drawn, drawn + bytes);
  }
  for (std::int64_t row = 0; row < view.rows(); ++row) {
    const std::array pair = {random.below(kValues), random.below(kValues)};
    std::uint64_t first = 0;  // One of each two neighbours has the first value.
    for (std::int64_t column = 0; column < view.columns(); ++column) {
      first = column % 2 == 0 ? random.below(2) : 1 - first;
      std::memcpy(place(view.row_offset(row) + column * view.column_stride()),
                  values.at(pair.at(first)).data(), bytes);
    }
  }
  return {};
}

}  // namespace ws
