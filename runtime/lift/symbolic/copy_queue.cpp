#include "runtime/lift/symbolic/copy_queue.h"

#include <algorithm>

namespace ws::lift {

void CopyQueue::give_type(ObjectId id, DType type) {
  if (id == kNone || mode_.is_part()) {
    return;
  }
  Object& array = objects_.at(id);
  if (array.kind == ObjectKind::kShared && size_of(array.element) == 1 && array.cells.empty()) {
    array.element = type;
  }
}

Status CopyQueue::issue(const CopyEvent& event) {
  const Object& tensor = objects_.at(event.source);
  const auto width = static_cast<std::int64_t>(size_of(tensor.element));
  WS_CHECK(SharedMemory::check_known(objects_.at(event.target), event.to));
  AsyncCopy copy{event.target, event.to, {}, guards_.active(), steps_.where()};
  const std::size_t masks = guards_.conditions().size();
  for (std::int64_t i = 0; i < event.elements; ++i) {
    if (event.inside != kNone) {
      guards_.mask(event.inside);
    }
    Result<Leaf> leaf =
        memory_.load_element(event.source, event.from.plus(Poly(i)).times(Poly(width)), width);
    guards_.drop(masks);
    WS_TRY(const Leaf value, std::move(leaf));
    const DType type = objects_.at(event.source).element;
    copy.values.push_back(event.inside == kNone ? value.term
                                                : terms_.operation(ir::Op::kWhere, type,
                                                                   {event.inside, value.term,
                                                                    terms_.number(0, type)}));
  }
  for (std::int64_t i = 0; i < event.elements; ++i) {
    WS_CHECK(memory_.shared().claim(objects_.at(event.target), event.to.plus(Poly(i))));
  }
  issued_.push_back(std::move(copy));
  return {};
}

Status CopyQueue::commit() {
  if (!guards_.is_everyone()) {
    return fail(ErrorCode::kUnsupported, "copies are committed by some threads only");
  }
  groups_.push_back(std::move(issued_));
  issued_.clear();
  return {};
}

Status CopyQueue::wait(std::int64_t newest) {
  if (!guards_.is_everyone() || newest < 0) {
    return fail(ErrorCode::kUnsupported,
                "copies are waited for by some threads only, or by a number that is not known");
  }
  while (groups_.size() > static_cast<std::size_t>(newest)) {
    const std::vector<AsyncCopy> group = std::move(groups_.front());
    groups_.pop_front();
    for (const AsyncCopy& copy : group) {
      WS_CHECK(land(copy));
    }
  }
  return {};
}

bool CopyQueue::is_busy() const {
  return std::ranges::any_of(groups_, [](const auto& group) { return !group.empty(); });
}

Status CopyQueue::check_landed() const {
  const bool landed = mode_.pipeline.period > 0 || (issued_.empty() && !is_busy());
  return landed ? Status()
                : fail(ErrorCode::kUnsupported,
                       "copies are under way from one round of a loop to the next");
}

/// Writes what was copied, as a store of the thread.
Status CopyQueue::land(const AsyncCopy& copy) {
  const Lanes around = guards_.exchange(copy.active);
  Status done;
  for (std::size_t i = 0; i < copy.values.size() && done; ++i) {
    const Poly offset = copy.first.plus(Poly(static_cast<std::int64_t>(i)));
    memory_.shared().land(objects_.at(copy.target), offset);
    done = memory_.store_shared(copy.target, offset, copy.values[i], copy.range);
  }
  guards_.exchange(around);
  return done;
}

}  // namespace ws::lift
