#include "runtime/lift/symbolic/shared_memory.h"

#include <string>

#include "runtime/base/units.h"

namespace ws::lift {
namespace {

constexpr int kSeveral = -2;

/// Whether thread `lane` may write what others have read or written since the last barrier.
bool is_free(const Cell& cell, int lane, SharedMemory::Stretch now) {
  const bool read = cell.read == now.block && cell.reader != lane &&
                    (cell.reader_warp != lane / kWarpSize || cell.warp_read == now.warp);
  const bool written =
      cell.written == now.block && cell.source.lane != lane &&
      (cell.source.lane / kWarpSize != lane / kWarpSize || cell.warp_written == now.warp);
  return !read && !written;
}

}  // namespace

Status SharedMemory::check_known(const Object& memory, const Poly& offset) {
  return offset.is_constant()
             ? Status()
             : fail(ErrorCode::kUnsupported,
                    "`" + memory.name + "` is indexed by something that is not known");
}

Result<Leaf> SharedMemory::load(Object& source, const Poly& offset) {
  WS_CHECK(check_known(source, offset));
  const Lanes at = offset.constant();
  std::vector<Ref> sources(terms_.lanes());
  for (std::size_t lane = 0; lane < sources.size(); ++lane) {
    if (!guards_.is_active(lane)) {
      continue;
    }
    Cell* const cell = source.cells.edit(lane_of(at, lane));
    WS_CHECK(check_readable(source, cell, static_cast<int>(lane), lane_of(at, lane)));
    note_read(*cell, static_cast<int>(lane));
    sources[lane] = cell->source;
  }
  return Leaf{terms_.move(source.element, std::move(sources)), kNone, {}};
}

/// @param cell  nullptr: nobody has used it. @param at  Its offset.
Status SharedMemory::check_readable(const Object& source, const Cell* cell, int lane,
                                    std::int64_t at) const {
  if (cell != nullptr && cell->under_way) {
    return fail(ErrorCode::kUnsupported,
                "`" + source.name + "` is read while a copy to it may be under way");
  }
  if (cell == nullptr || cell->source.term == kNone) {
    return fail(ErrorCode::kUnsupported,
                "`" + source.name + "[" + std::to_string(at) + "]` is read before it is written");
  }
  const bool other_warp = cell->source.lane / kWarpSize != lane / kWarpSize;
  const bool unordered = cell->written == now_.block && cell->source.lane != lane &&
                         (other_warp || cell->warp_written == now_.warp);
  return unordered ? fail(ErrorCode::kUnsupported,
                          "`" + source.name +
                              "` is read by a thread before a barrier makes another one's "
                              "write visible")
                   : Status();
}

void SharedMemory::note_read(Cell& cell, int lane) const {
  const bool again = cell.read == now_.block;
  const int warp = lane / kWarpSize;
  cell.reader = again && cell.reader != lane ? kSeveral : lane;
  cell.reader_warp = again && cell.reader_warp != warp ? kSeveral : warp;
  cell.read = now_.block;
  cell.warp_read = now_.warp;
}

Status SharedMemory::store(Object& target, const Poly& offset, TermId value,
                           const std::function<bool(const Cell&)>& replaces) {
  WS_CHECK(check_known(target, offset));
  const Lanes at = offset.constant();
  for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
    if (!guards_.is_active(lane)) {
      continue;
    }
    Cell& cell = target.cells[lane_of(at, lane)];
    WS_CHECK(check_free(target, cell, static_cast<int>(lane)));
    if (cell.source.term != kNone && !replaces(cell)) {
      return fail(ErrorCode::kUnsupported,
                  "`" + target.name +
                      "` is overwritten where a condition holds that depends on sizes or data");
    }
    cell.source = {value, static_cast<std::int32_t>(lane)};
    cell.written = now_.block;
    cell.warp_written = now_.warp;
  }
  return {};
}

Status SharedMemory::check_free(const Object& target, const Cell& cell, int lane) const {
  if (cell.under_way) {
    return fail(ErrorCode::kUnsupported,
                "`" + target.name + "` is written while a copy to it may be under way");
  }
  return is_free(cell, lane, now_)
             ? Status()
             : fail(ErrorCode::kUnsupported, "`" + target.name +
                                                 "` is written by a thread while others may still "
                                                 "use it: a barrier is missing");
}

Status SharedMemory::claim(Object& target, const Poly& offset) {
  WS_CHECK(check_known(target, offset));
  const Lanes at = offset.constant();
  for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
    if (guards_.is_active(lane)) {
      Cell& cell = target.cells[lane_of(at, lane)];
      WS_CHECK(check_free(target, cell, static_cast<int>(lane)));
      cell.under_way = true;
    }
  }
  return {};
}

void SharedMemory::land(Object& target, const Poly& offset) const {
  const Lanes at = offset.constant();
  for (std::size_t lane = 0; lane < terms_.lanes(); ++lane) {
    if (guards_.is_active(lane)) {
      target.cells[lane_of(at, lane)].under_way = false;
    }
  }
}

void SharedMemory::resume(Cells& cells, Stretch then) const {
  cells.change([&](std::int64_t, Cell& cell) {
    cell.written = cell.written == then.block ? now_.block : -1;
    cell.read = cell.read == then.block ? now_.block : -1;
    cell.warp_written = cell.warp_written == then.warp ? now_.warp : -1;
    cell.warp_read = cell.warp_read == then.warp ? now_.warp : -1;
  });
}

}  // namespace ws::lift
