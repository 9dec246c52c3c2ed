// Variables of a block's threads.
#pragma once

#include "runtime/lift/symbolic/object_table.h"
#include "runtime/lift/symbolic/reports.h"
#include "runtime/lift/symbolic/round_reads.h"

namespace ws::lift {

/// Reads and writes scalars of variables, and parts of them. Each offset is in bytes from where the
/// variable begins. For one thread.
class Variables {
 public:
  /// A scalar of a variable; no bytes: it is not known which one.
  struct Slice {
    std::int64_t bytes = 0;
    DType type = DType::kF32;
    std::int64_t begin = 0;  ///< Its own offset.
  };

  /// All of them outlive this.
  Variables(const Basis& basis, ObjectTable& objects, const Guards& guards, Control& control,
            const Reports& reports, RoundReads& reads)
      : tree_(basis.tree),
        input_(basis.input),
        mode_(basis.mode),
        terms_(basis.terms),
        scalars_(basis.scalars),
        objects_(objects),
        guards_(guards),
        control_(control),
        reports_(reports),
        reads_(reads) {}

  /// The scalar that begins at an offset or before.
  [[nodiscard]] Slice slice_at(const Object& variable, const Poly& offset) const;

  /// @errors kUnsupported: no scalar begins there, or its value is not known.
  Result<Leaf> load(ObjectId id, const Poly& offset);

  /// Elements that were copied into a variable as a wider number: one, or several as a number of
  /// type `type`. @errors kUnsupported: they were not, or they are others.
  Result<Leaf> load_part(const ValuePlace& place, const Slice& slice, TypeId type);

  /// A store by the active threads. Where it is not all of them, or not for certain, the scalar
  /// becomes a choice. @errors kUnsupported: no scalar begins there, or the choice is of pointers.
  Status store(ObjectId id, const Poly& offset, const Leaf& leaf, const Range& range);

  /// One of several elements in a wider number. The others are not known where they were something
  /// else before. @errors kUnsupported: as store(), or it is no such element.
  Status store_part(const ValuePlace& place, const Slice& slice, TermId value, const Range& range);

  /// Remembers that a statement gave a variable a value, and the integers that there were.
  void note_assigned(TermId term, const std::string& variable, const Range& range);

 private:
  Result<std::size_t> leaf_index(const Object& variable, const Poly& offset);
  Result<Leaf> merged(ObjectId id, const Leaf& before, const Leaf& now);
  TermId by_threads(TermId before, TermId now);

  const Tree& tree_;
  const LaunchInput& input_;
  const RunMode& mode_;
  Terms& terms_;
  Scalars& scalars_;
  ObjectTable& objects_;
  const Guards& guards_;
  Control& control_;
  const Reports& reports_;
  RoundReads& reads_;
};

}  // namespace ws::lift
