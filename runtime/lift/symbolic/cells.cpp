#include "runtime/lift/symbolic/cells.h"

#include <utility>

namespace ws::lift {
namespace {

/// The page and the place in it that an offset has: the offset may be below zero.
std::pair<std::int64_t, std::size_t> place_of(std::int64_t offset, std::int64_t page) {
  const std::int64_t within = (offset % page + page) % page;
  return {(offset - within) / page, static_cast<std::size_t>(within)};
}

}  // namespace

const Cell* Cells::find(std::int64_t offset) const {
  const auto [number, within] = place_of(offset, kPage);
  const auto found = pages_.find(number);
  return found != pages_.end() && found->second->used[within] ? &found->second->cells[within]
                                                              : nullptr;
}

Cell* Cells::edit(std::int64_t offset) {
  const auto [number, within] = place_of(offset, kPage);
  const auto found = pages_.find(number);
  return found != pages_.end() && found->second->used[within] ? &own(found->second).cells[within]
                                                              : nullptr;
}

Cell& Cells::operator[](std::int64_t offset) {
  const auto [number, within] = place_of(offset, kPage);
  Page& page = own(pages_[number]);
  page.used[within] = true;
  return page.cells[within];
}

Cells::Page& Cells::own(Shared& page) {
  if (page == nullptr) {
    page = std::make_shared<Page>();
  } else if (page.use_count() > 1) {
    page = std::make_shared<Page>(*page);
  }
  return *page;
}

}  // namespace ws::lift
