// The values that threads compute, as a graph: a term stands for one value in each thread of the
// block.
//
// Where threads exchange values (shuffles, shared memory that is no tile), a `kMove` term says from
// which term of which thread each one has its own; so a sum over a tree of threads is still a sum.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kernel/dtype.h"
#include "runtime/lift/symbolic/poly.h"
#include "runtime/lift/symbolic/term_op.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

using TermId = std::int32_t;
using ObjectId = std::int32_t;

/// A term in one thread.
struct Ref {
  TermId term = kNone;
  std::int32_t lane = 0;

  friend bool operator==(const Ref&, const Ref&) = default;
};

enum class TermKind : std::uint8_t {
  kNumber,     ///< `number`
  kInteger,    ///< `poly`
  kArgument,   ///< `name`: how CuIR names a scalar argument.
  kLoad,       ///< Element `poly` of `object`, where all `masks` hold.
  kOperation,  ///< `op` of `args`; kCast rounds to `type`.
  kMove,       ///< `sources`: for each thread.
  kCarried,    ///< The value that variable `object` keeps from one step of a loop to the next, its
               ///< `slot`.
};

struct Term {
  TermKind kind = TermKind::kNumber;
  DType type = DType::kF32;
  TermOp op;
  std::string name;
  std::vector<TermId> args;
  double number = 0;
  Poly poly;
  ObjectId object = kNone;
  int version = 0;  ///< kLoad: of shared memory's content; kCarried: of the variable.
  int slot = 0;
  std::vector<TermId> masks;
  std::vector<Ref> sources;
  int variable = kNone;  ///< The kernel's variable that it was assigned to first: Terms::variable.
  Range assigned;        ///< There.
  int depth = 0;         ///< Steps in which it came about.
  bool known = false;    ///< `truth` says it for each thread.
  Lanes truth;
  Range range;
};

/// A sum of two halves, which is rounded: in another order it is another one.
inline bool is_rounded_sum(const Term& term) {
  return term.kind == TermKind::kOperation && term.op == ir::Operator::kAdd &&
         (term.type == DType::kF16 || term.type == DType::kBf16);
}

/// Equal for equal numbers of thread `lane`.
std::uint64_t hash_of(const Poly& poly, std::size_t lane);

class Terms {
 public:
  explicit Terms(std::size_t lanes)
      : lanes_(lanes) {}

  TermId add(Term term);
  TermId number(double value, DType type);
  TermId integer(Poly poly, DType type = DType::kI32);
  TermId operation(TermOp op, DType type, std::vector<TermId> args);
  TermId move(DType type, std::vector<Ref> sources);
  /// A value as one of another type, which is rounded once for all that ask.
  TermId rounded(TermId id, DType type);

  [[nodiscard]] const Term& at(TermId id) const { return terms_[static_cast<std::size_t>(id)]; }

  [[nodiscard]] std::size_t size() const { return terms_.size(); }

  /// Remembers which variable an operation's result was assigned to first.
  void note_assigned(TermId id, const std::string& variable, const Range& range);

  /// Integers of the kernel by their names.
  using Scope = std::vector<std::pair<std::string, Poly>>;

  /// Keeps the integers that the kernel had where it assigned the term.
  void note_scope(TermId id, Scope scope) { scopes_[id] = std::move(scope); }

  /// nullptr: none was kept.
  [[nodiscard]] const Scope* scope_of(TermId id) const {
    const auto found = scopes_.find(id);
    return found == scopes_.end() ? nullptr : &found->second;
  }

  /// The name of Term::variable.
  [[nodiscard]] const std::string& variable(int index) const {
    return variables_[static_cast<std::size_t>(index)];
  }

  /// The largest depth of a term so far.
  [[nodiscard]] int deepest() const { return deepest_; }

  /// Drops all but the first `size` terms: nothing refers to the others.
  void truncate(std::size_t size);

  [[nodiscard]] std::size_t lanes() const { return lanes_; }

  /// Through moves, and through a choice that is known for the thread.
  [[nodiscard]] Ref resolve(Ref ref) const;

  /// Equal for equal values: the same operations on the same elements. Operands of sums in any
  /// order.
  std::uint64_t value_hash(Ref ref);
  /// Equal for the same operations on other elements.
  std::uint64_t shape_hash(Ref ref);

  /// Equal for values whose reads happen under the same conditions.
  std::uint64_t mask_hash(Ref ref);
  /// Whether everything that is read for `right` is read for `left` as well, as the conditions of
  /// left's reads hold wherever those of right's do. False where that is not seen.
  /// @param left, right  The same value.
  bool reads_as_much(Ref left, Ref right);

  /// The operands of a tree of `op`, in the order of the program. Numbers that change nothing are
  /// left out. @return  False: more than `limit`.
  bool flatten(Ref ref, TermOp op, std::size_t limit, std::vector<Ref>& operands) const;

 private:
  using Hashes = std::vector<std::vector<std::uint64_t>>;  // By term and thread; 0: not known.

  std::uint64_t& slot(Hashes& hashes, std::size_t term, std::size_t lane) const;
  std::uint64_t operands_hash(Ref ref, TermOp op, bool shape);
  std::uint64_t compute_hash(Ref ref, bool shape);
  std::uint64_t hash(Ref ref, bool shape);
  bool reads_as_much(Ref left, Ref right, int& steps);
  [[nodiscard]] bool is_implied(Ref condition, Ref by) const;

  std::deque<Term> terms_;  // Stay where they are while others come.
  Hashes value_hashes_;
  Hashes shape_hashes_;
  Hashes mask_hashes_;
  Hashes value_operands_;  // For trees of one commutative operation.
  Hashes shape_operands_;
  std::vector<std::string> variables_;
  std::map<TermId, Scope> scopes_;
  std::map<std::pair<TermId, DType>, TermId> rounded_;
  const std::size_t lanes_;
  int deepest_ = 0;
};

}  // namespace ws::lift
