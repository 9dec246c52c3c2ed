// Stores to shared memory.
#include "runtime/lift/symbolic/block.h"

namespace ws::lift {

Status Block::store_shared(ObjectId id, const Poly& offset, TermId value, const Range& range) {
  if (mode_.is_part()) {
    return store_part(id, offset, value, range);
  }
  WS_CHECK(SharedMemory::check_known(object(id), offset));
  const std::optional<TermId> both = pending_.join(id, offset, value);
  if (!both) {
    WS_CHECK(add_store(id, offset, value, range, ""));
  }
  const bool all = both.has_value() || guards_.conditions().empty();
  return shared_memory_.store(object(id), offset, both.value_or(value),
                              [&](const Cell& cell) { return all || is_staged(cell); });
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

}  // namespace ws::lift
