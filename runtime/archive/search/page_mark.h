// Where a page of a long list ends, as text that the next request brings back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/archive/search/listing.h"
#include "runtime/base/result.h"

namespace ws::store {

/// The last row of a page.
struct PageMark {
  std::optional<double> speed_up{};  ///< Against the reference, where the list is by speed-up.
  std::int64_t number = std::numeric_limits<std::int64_t>::max();
};

/// "1.25;17", or "17" where there is no speed-up.
std::string text_of_mark(const PageMark& mark);

/// @errors kInvalidArgument.
Result<PageMark> mark_of_text(const std::string& text);

/// One more row than asked for was read: it tells that there is a next page.
template <typename Row>
ListedPage<Row> page_of(std::vector<std::pair<PageMark, Row>> read, int most) {
  ListedPage<Row> page;
  const std::size_t shown = std::min(read.size(), static_cast<std::size_t>(most));
  if (shown < read.size()) {
    page.next = text_of_mark(read[shown - 1].first);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    page.rows.push_back(std::move(read[i].second));
  }
  return page;
}

}  // namespace ws::store
