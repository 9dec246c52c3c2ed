// Expressions of a program as C++ of the kernel that the program was lifted from.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/syntax/ast.h"
#include "runtime/lift/lift.h"

namespace ws::lift {

/// kUnsupported: something of the program has no form in C at its place.
tl::unexpected<Error> no_form(const std::string& why);

/// Element by element: what is a tile in the program is one thread's value in the kernel.
class CText {
 public:
  /// @param names    How the kernel calls what the program names: "s" is "s[j]", "self.n" is "n".
  /// @param indices  Integers that the kernel has where the text will stand.
  CText(const ir::Program& program, std::map<std::string, std::string> names,
        const std::vector<IndexText>& indices);

  /// A name of the program that stands for an expression: `i = arange(32)[:, None] + ...`.
  /// Names that stand for each other have no form.
  void define(const std::string& name, ir::ExprId value) { defined_[name] = value; }

  /// @errors kUnsupported: it has no form, or an integer that the kernel lacks.
  Result<std::string> of(ir::ExprId id) const;

  /// The text of `factor` times an integer, and `plus` more. @errors as of().
  Result<std::string> scaled(ir::ExprId id, std::int64_t factor, const std::string& plus) const;

 private:
  /// An integer as a sum: factors by what they are factors of; "" for 1.
  using Sum = std::map<std::string, std::int64_t>;

  struct Index {
    std::string c;
    Sum sum;
  };

  [[nodiscard]] bool add_to(const ir::Program& program, ir::ExprId id, std::int64_t factor,
                            Sum& sum) const;
  [[nodiscard]] std::string index_text(ir::ExprId id) const;
  [[nodiscard]] std::string by_variables(Sum sum) const;
  [[nodiscard]] std::string own_text(const Sum& sum) const;
  [[nodiscard]] bool is_integer(ir::ExprId id) const;
  [[nodiscard]] bool is_natural(ir::ExprId id) const;
  [[nodiscard]] bool is_natural(const Sum& sum, int deep) const;
  [[nodiscard]] bool is_natural_atom(const std::string& atom, int deep) const;
  void note_rounds();

  [[nodiscard]] bool has_no_end() const { return expanded_ > kMostExpanded; }

  [[nodiscard]] bool is_least_or_most(const ir::Expr& expr) const;
  Result<std::string> call(const ir::Expr& expr) const;
  Result<std::string> compare(const ir::Expr& expr) const;
  Result<std::string> binary(const ir::Expr& expr) const;
  Result<std::string> unary(const ir::Expr& expr) const;

  const ir::Program& program_;
  const std::map<std::string, std::string> names_;
  std::vector<Index> indices_;
  std::map<Sum, std::string> by_sum_;
  std::set<std::string> rounds_;  ///< Variables of loops that begin at zero or above.
  std::map<std::string, ir::ExprId> defined_;
  mutable std::size_t expanded_ = 0;  ///< Names that gave way to what they stand for.

  /// More than any text needs: names may double with each definition.
  static constexpr std::size_t kMostExpanded = 2000;
};

}  // namespace ws::lift
