#include "runtime/ir/translation/line_beside.h"

#include <algorithm>

namespace ws::ir {
namespace {

/// A line of each program.
struct Lines {
  std::uint32_t own = 0;
  std::uint32_t other = 0;
};

Lines nearest(const Fact& missing, std::ptrdiff_t step, const std::vector<Fact>& own,
              const std::vector<Fact>& other) {
  for (std::ptrdiff_t i = &missing - other.data() + step; i >= 0 && i < std::ssize(other);
       i += step) {
    const Fact& neighbour = other[static_cast<std::size_t>(i)];
    const auto same = [&](const Fact& fact) { return fact.same(neighbour); };
    const auto count = std::ranges::count_if(own, same);
    if (count > 0 && count == std::ranges::count_if(other, same)) {
      // The one of the same number among its like.
      auto before = std::count_if(other.begin(), other.begin() + i, same);
      const auto mine =
          std::ranges::find_if(own, [&](const Fact& fact) { return same(fact) && before-- == 0; });
      return {mine->line, neighbour.line};
    }
  }
  return {};
}

}  // namespace

std::uint32_t line_beside(const Fact& missing, const std::vector<Fact>& own,
                          const std::vector<Fact>& other) {
  const Lines before = nearest(missing, -1, own, other);
  const Lines after = nearest(missing, 1, own, other);
  if (before.own == 0 || (after.other == missing.line && before.other != missing.line)) {
    return after.own;
  }
  // A line that nothing else is known of lies before the one that uses it.
  return before.other != missing.line && before.own + 1 < after.own ? after.own - 1 : before.own;
}

}  // namespace ws::ir
