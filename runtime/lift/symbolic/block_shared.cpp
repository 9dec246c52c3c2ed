// Stores to shared memory, element by element.
#include <algorithm>

#include "runtime/base/units.h"
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {
namespace {

/// Whether thread `lane` may write what others have read or written since the last barrier.
bool is_free(const Cell& cell, int lane, int epoch, int warp_epoch) {
  const bool read = cell.read == epoch && cell.reader != lane &&
                    (cell.reader_warp != lane / kWarpSize || cell.warp_read == warp_epoch);
  const bool written =
      cell.written == epoch && cell.source.lane != lane &&
      (cell.source.lane / kWarpSize != lane / kWarpSize || cell.warp_written == warp_epoch);
  return !read && !written;
}

}  // namespace

Status Block::store_shared(ObjectId id, const Poly& offset, TermId value, const Range& range) {
  Object& target = object(id);
  if (arrays_ != nullptr) {
    return store_part(id, offset, value, range);
  }
  if (!offset.is_constant()) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name + "` is indexed by something that is not known");
  }
  const std::optional<TermId> both = joined_store(id, offset, value);
  if (!both) {
    WS_CHECK(add_store(id, offset, value, range, ""));
  }
  const Lanes at = offset.constant();
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    if (!guards_.is_active(lane)) {
      continue;
    }
    Cell& cell = target.cells[lane_of(at, lane)];
    WS_CHECK(check_free(target, cell, static_cast<int>(lane)));
    if (!both && !guards_.conditions().empty() && cell.source.term != kNone && !is_staged(cell)) {
      return fail(ErrorCode::kUnsupported,
                  "`" + target.name +
                      "` is overwritten where a condition holds that depends on sizes or data");
    }
    cell.source = {both.value_or(value), static_cast<std::int32_t>(lane)};
    cell.written = epoch_;
    cell.warp_written = warp_epoch_;
  }
  return {};
}

Status Block::check_free(const Object& target, const Cell& cell, int lane) const {
  if (cell.under_way) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name + "` is written while a copy to it may be under way");
  }
  return is_free(cell, lane, epoch_, warp_epoch_)
             ? Status()
             : fail(ErrorCode::kUnsupported,
                    "`" + target.name +
                        "` is written by a thread while others may still use it: a "
                        "barrier is missing");
}

/// Keeps an element for a copy that the thread has begun.
Status Block::claim(ObjectId id, const Poly& offset) {
  Object& target = object(id);
  const Lanes at = offset.constant();
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    if (guards_.is_active(lane)) {
      Cell& cell = target.cells[lane_of(at, lane)];
      WS_CHECK(check_free(target, cell, static_cast<int>(lane)));
      cell.under_way = true;
    }
  }
  return {};
}

/// A part of a kernel fills an array of the program: a tile of it, which nothing else lays out.
Status Block::store_part(ObjectId id, const Poly& offset, TermId value, const Range& range) {
  const Object& target = object(id);
  if (target.dims.size() < 2 || !target.logical.empty() || !guards_.masks().empty()) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name +
                    "` is written by threads, and is no array with rows and columns "
                    "that all of them fill");
  }
  return add_store(id, offset, value, range, "");
}

/// All of some conditions, as one.
TermId Block::conjunction(std::span<const TermId> conditions) {
  TermId all = conditions.front();
  for (const TermId condition : conditions.subspan(1)) {
    all = terms_.operation(ir::Operator::kAnd, DType::kBool, {all, condition});
  }
  return all;
}

/// A store to the elements that the same threads have written since the last barrier, under
/// another condition: `if (c) s[i] = x; else s[i] = y;`, or `s[i] = y; if (c) s[i] = x;`. The two
/// become one store of a choice. @return  The choice; nothing: it is another kind of store.
std::optional<TermId> Block::joined_store(ObjectId id, const Poly& offset, TermId value) {
  const auto last = std::find_if(pending_.rbegin(), pending_.rend(),
                                 [&](const StoreGroup& group) { return group.object == id; });
  if (last == pending_.rend() || !last->atomic.empty() || !(last->events.back().offset == offset) ||
      last->events.back().active != guards_.active()) {
    return std::nullopt;
  }
  StoreEvent& event = last->events.back();
  const std::vector<TermId> now = guards_.masks();
  const auto [first, second] = std::ranges::mismatch(event.masks, now);
  const std::vector<TermId> common(event.masks.begin(), first);
  const std::vector<TermId> before(first, event.masks.end());
  const std::vector<TermId> here(second, now.end());
  if (here.empty()) {
    event.value = value;
  } else if (before.empty()) {
    event.value = terms_.operation(ir::Op::kWhere, terms_.at(value).type,
                                   {conjunction(here), value, event.value});
  } else if (is_same(terms_, numbers_.negated(conjunction(before)), conjunction(here))) {
    event.value = terms_.operation(ir::Op::kWhere, terms_.at(value).type,
                                   {conjunction(before), event.value, value});
  } else {
    return std::nullopt;
  }
  event.masks = common;
  return event.value;
}

}  // namespace ws::lift
