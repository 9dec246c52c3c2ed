#include "runtime/lift/symbolic/memory.h"

#include <algorithm>

namespace ws::lift {

Memory::Memory(const Basis& basis, ObjectTable& objects, Steps& steps, const Guards& guards,
               Control& control, Reports& reports, RoundReads& reads)
    : tree_(basis.tree),
      mode_(basis.mode),
      terms_(basis.terms),
      scalars_(basis.scalars),
      objects_(objects),
      steps_(steps),
      guards_(guards),
      reports_(reports),
      variables_(basis, objects, guards, control, reports, reads),
      shared_(basis.terms, guards),
      pending_(basis.terms, basis.numbers, guards),
      staging_(basis, objects, reports) {}

Result<Poly> Memory::element_offset(const Object& memory, const Poly& bytes, std::int64_t size) {
  if (size != static_cast<std::int64_t>(size_of(memory.element))) {
    return fail(ErrorCode::kUnsupported, "`" + memory.name + "` is accessed by " +
                                             std::to_string(size) + " bytes, its elements have " +
                                             std::to_string(size_of(memory.element)));
  }
  const std::optional<Poly> exact = bytes.exact_quotient(size);
  if (exact) {
    return *exact;
  }
  const std::optional<Poly> elements = bytes.divided(size);
  if (!elements) {
    return fail(ErrorCode::kUnsupported, "`" + memory.name + "` is accessed between two elements");
  }
  return *elements;
}

/// The scalar at a place, as it lies in memory.
Variables::Slice Memory::slice_at(const ValuePlace& place) const {
  const Object& target = objects_.at(place.object);
  if (target.kind == ObjectKind::kLocal) {
    return variables_.slice_at(target, place.offset);
  }
  return {.bytes = static_cast<std::int64_t>(size_of(target.element)),
          .type = target.element,
          .begin = 0};
}

Status Memory::flush() {
  for (const StoreGroup& group : pending_.take()) {
    if (objects_.at(group.object).kind != ObjectKind::kShared || mode_.is_part()) {
      WS_CHECK(reports_.store(group));
    } else if (!reports_.is_trial() && mode_.pipeline.period == 0) {
      WS_CHECK(staging_.stage(group));
    }
  }
  return {};
}

void Memory::forget_changed(const Object& before, Object& now, bool all) const {
  now.cells.change_unlike(before.cells, [&](std::int64_t offset, Cell& cell) {
    const Cell* const old = before.cells.find(offset);
    const bool changed = old == nullptr || !(old->source == cell.source);
    if (changed && (all || !staging_.holds(cell))) {
      cell.source.term = kNone;
    }
  });
}

Status Memory::check_rounds_apart() {
  for (std::size_t id = 0; id < objects_.size(); ++id) {
    Object& tensor = objects_.at(static_cast<ObjectId>(id));
    const bool apart = std::ranges::all_of(tensor.read_in_loop, [&](const Poly& read) {
      return std::ranges::find(tensor.written_in_loop, read) != tensor.written_in_loop.end();
    });
    if (!apart && !tensor.written_in_loop.empty()) {
      return fail(ErrorCode::kUnsupported,
                  "`" + tensor.name + "` is read and written by different rounds of a loop");
    }
    if (loops_ == 0) {
      tensor.read_in_loop.clear();
      tensor.written_in_loop.clear();
    }
  }
  return {};
}

}  // namespace ws::lift
