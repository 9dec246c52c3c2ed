// Arithmetic of a symbolic run: integers as polynomials where they are, else as terms.
#pragma once

#include <map>
#include <optional>

#include "runtime/lift/input.h"
#include "runtime/lift/symbolic/terms.h"

namespace ws::lift {

class Arithmetic {
 public:
  /// All three outlive this.
  Arithmetic(Terms& terms, Symbols& symbols, const LaunchInput& input)
      : terms_(terms),
        symbols_(symbols),
        input_(input) {}

  /// From here on the statements are a part of a kernel: every number that is the same for all
  /// threads has a name in the program around it.
  void begin_part() { in_part_ = true; }

  /// @param type  Of both operands and the result; comparisons give kBool.
  /// @errors kUnsupported: an operation on integers that depend on data, or on an unsigned number
  /// that may have wrapped.
  Result<TermId> result(TermOp op, TermId left, TermId right, DType type);

  /// `yes` where `condition` holds, else `no`, as an integer; nothing where it is no integer that
  /// is known for each thread, or follows from sizes and the block's indices.
  std::optional<TermId> chosen(TermId condition, TermId yes, TermId no, DType type);

  /// `left` and, or else or, `right`.
  TermId joined(TermId left, TermId right, bool both);
  TermId negated(TermId condition);
  TermId converted(TermId id, DType type);

  /// From here on a symbol is `residue` modulo `period`.
  void assume(SymbolId symbol, int period, int residue) { residues_[symbol] = {period, residue}; }

  /// The same of a sum of one symbol and a number; of another number nothing is known.
  void assume_of(const Poly& number, int period, int residue);

  /// For each thread, or once for all; nothing where it depends on data.
  [[nodiscard]] std::optional<Lanes> truth_of(TermId condition) const;

  static bool is_wide_unsigned(DType type);
  /// An order of unsigned numbers of this type, of which one may be less than zero as a number.
  /// @errors kUnsupported: both may be.
  Result<TermId> compare_unsigned(TermOp op, TermId left, TermId right, DType type);
  /// The number that an integer is as one of `type`: the same but where that is unsigned, and it is
  /// less than zero. @errors kUnsupported: it may be, and what it is then is not known.
  /// @param as  What it becomes, for the reason.
  Result<TermId> as_unsigned(TermId id, DType type, DType as);

 private:
  static std::optional<Poly> integer_result(TermOp op, const Poly& left, const Poly& right);
  TermId compare(TermOp op, TermId left, TermId right);
  TermId negated(TermId condition, std::map<TermId, TermId>& made);

  // unsigned.cpp
  /// Indices, sizes and rounds are not below zero, nor are the blocks after this one, and what is
  /// left of an argument's size behind the tiles before (`n - 64 * round`) is not where there is a
  /// tile.
  [[nodiscard]] bool may_be_negative(const Poly& number) const;
  [[nodiscard]] Poly in_last_block(const Poly& number) const;
  /// An unsigned integer of this type that may be less than zero, or 2^32 and more, as a
  /// polynomial.
  [[nodiscard]] bool may_have_wrapped(TermId id, DType type) const;
  [[nodiscard]] bool is_argument(SymbolId symbol) const;
  /// @errors kUnsupported: the operation is no sum, difference or product, and a number of this
  /// unsigned type may have wrapped.
  [[nodiscard]] Status check_unsigned(TermOp op, TermId left, TermId right, DType type) const;

  // unknown_numbers.cpp
  [[nodiscard]] bool is_of_launch(const Poly& poly) const;
  std::optional<TermId> unknown_integer(TermOp op, const Poly& left, const Poly& right, DType type);
  [[nodiscard]] std::optional<Poly> rounded_up(const Term& condition, const Poly& yes,
                                               const Poly& no);

  Terms& terms_;
  Symbols& symbols_;
  const LaunchInput& input_;
  bool in_part_ = false;

  /// A quotient or remainder that is a symbol.
  struct Division {
    bool remainder = false;
    Poly left;
    Poly right;
  };

  [[nodiscard]] const Division* division_of(const Poly& poly) const;
  [[nodiscard]] std::optional<Poly> as_number(const Term& condition);

  // residues.cpp
  [[nodiscard]] std::optional<Poly> by_residues(TermOp op, const Poly& left, const Poly& right);

  std::map<SymbolId, std::pair<int, int>> residues_;  // Period and residue.

  std::map<SymbolId, Division> divisions_;
};

}  // namespace ws::lift
