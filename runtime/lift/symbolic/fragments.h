// Fragments of wmma. Which element lies where is open; here it is as matrices.h says.
#pragma once

#include "runtime/lift/symbolic/memory.h"
#include "runtime/lift/symbolic/runner.h"

namespace ws::lift {

/// A matrix in memory: offsets in bytes.
struct MatrixPlace {
  ObjectId object = kNone;
  Poly first;
  Poly stride;             ///< From one row to the next, or from one column.
  std::int64_t bytes = 0;  ///< The size of an element.
  bool by_rows = true;
};

/// Calls of functions on fragments. For one thread.
class Fragments {
 public:
  /// All of them outlive this.
  Fragments(const Basis& basis, Runner& runner, ObjectTable& objects, Memory& memory,
            const Guards& guards)
      : tree_(basis.tree),
        terms_(basis.terms),
        numbers_(basis.numbers),
        scalars_(basis.scalars),
        runner_(runner),
        objects_(objects),
        memory_(memory),
        guards_(guards) {}

  /// @param node  A call of a function of nvcuda::wmma, by all threads of the block's warps.
  /// @errors kUnsupported: by some of them, an unknown function, or a fragment of another form.
  Result<Value> call(const Node& node);

 private:
  Status fill(const Node& node);
  Status load(const Node& node);
  Status store(const Node& node);
  Status multiply(const Node& node);
  Result<ValuePlace> fragment(NodeId id, bool sums);
  Result<std::vector<TermId>> elements_of(const ValuePlace& fragment);
  Result<MatrixPlace> matrix_place(NodeId base, NodeId stride, NodeId order,
                                   const ValuePlace& fragment);
  [[nodiscard]] Poly element_place(const MatrixPlace& matrix, std::size_t element) const;

  const Tree& tree_;
  Terms& terms_;
  Arithmetic& numbers_;
  Scalars& scalars_;
  Runner& runner_;
  const ObjectTable& objects_;
  Memory& memory_;
  const Guards& guards_;
};

}  // namespace ws::lift
