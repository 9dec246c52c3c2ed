// The walk over a program that finds its facts.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/ir/diff/uses.h"
#include "runtime/ir/translation/facts.h"

namespace ws::ir {

class FactFinder {
 public:
  FactFinder(const Program& program, const std::vector<Type>& types, const FactsRequest& request)
      : program_(program),
        types_(types),
        request_(request) {}

  std::vector<Fact> run();

 private:
  /// An expression as far as it is known.
  struct Seen {
    std::optional<Position> position;  ///< For whole numbers only.
    std::set<std::string> tensors;     ///< Its elements come from these.
    std::uint32_t computed = 0;        ///< As Fact has it.
    std::map<std::string, std::uint32_t> origins;
  };

  /// Takes over what `from` comes from.
  static void join(Seen& into, const Seen& from);

  // facts.cpp: statements.
  void block(const std::vector<StmtId>& body);
  void statement(const Stmt& stmt);
  void assign(const Stmt& stmt);
  void loop(const Stmt& stmt);
  /// The counter of a loop over `range`.
  Seen counter_of(const Expr& over);
  void forget(const std::vector<StmtId>& body);
  /// Names that `body` sets, and those that it reads before.
  void collect(const std::vector<StmtId>& body, std::set<std::string>& set,
               std::set<std::string>& read) const;
  void names_in(ExprId id, const std::set<std::string>& but, std::set<std::string>& names) const;
  void add(FactKind kind, const Expr& at, std::string object, std::string detail = {});
  void add_place(FactKind kind, const Expr& at, std::string object, std::string detail, Seen seen);

  // facts_expr.cpp
  Seen eval(ExprId id);
  Seen operation(const Expr& expr);
  void compare(const Expr& expr, const std::vector<Seen>& sides);
  Seen index(const Expr& expr);
  [[nodiscard]] Seen tile_index(const Expr& expr, Seen base) const;

  // facts_calls.cpp
  Seen call(ExprId id, const Expr& expr);
  /// A number of numbers.
  static std::optional<Position> scalar(const OpInfo& info, const std::vector<Seen>& args);
  Seen transfer(const CallForm& form, const Expr& expr, const std::vector<Seen>& args);
  Seen move(ExprId id, const CallForm& form, const Expr& expr, Seen x);
  void reduction(const CallForm& form, const Expr& expr);
  /// The fact of an operation that needs nothing but its types.
  void add_operation(ExprId id, const CallForm& form, const Expr& expr);
  void product(ExprId id, const CallForm& form, const Expr& expr, const std::vector<Seen>& args);
  [[nodiscard]] Seen tile_place(const FactTensor& tensor, ExprId index, const Shape& shape);
  /// The value that is read where a mask does not hold, in the words of `load`.
  [[nodiscard]] std::string padding(const CallForm& form) const;

  [[nodiscard]] const Type& type(ExprId id) const { return types_[id]; }

  [[nodiscard]] const FactTensor* tensor(ExprId id) const;
  /// The expression that goes to a parameter; kNoExpr: none.
  [[nodiscard]] static ExprId argument(const CallForm& form, std::string_view name);
  /// In the order that both programs have.
  [[nodiscard]] std::string shape_text(Shape shape) const;
  /// A lane's dimension in that order. @param rank  Of the tile.
  [[nodiscard]] std::optional<Position> canonical(std::optional<Position> position,
                                                  std::size_t rank) const;

  const Program& program_;
  const std::vector<Type>& types_;
  const FactsRequest& request_;
  std::vector<Fact> facts_;
  std::map<std::string, Seen> names_;
  std::map<std::string, int> uses_;  ///< By name: how often it stands in the program.
  std::set<std::string> carried_;    ///< Names that the loop around carries from round to round.
  int loops_ = 0;                    ///< Begun so far.
};

}  // namespace ws::ir
