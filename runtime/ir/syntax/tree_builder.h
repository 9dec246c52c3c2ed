// Makes the nodes of a program from code, as the parser makes them from text, so that nobody has to
// write text that is parsed again.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/ir/syntax/ast.h"
#include "runtime/ir/syntax/printed_size.h"

namespace ws::ir {

/// Its nodes can be printed and parsed again. A node may be part of several others: it is
/// printed in each. An expression that no parser would read, because it is too deep or too long,
/// becomes the node kTooLarge, and so does everything that is made of it: check() says so, and
/// callers need not ask after each step.
class TreeBuilder {
 public:
  using Keywords = std::vector<std::pair<std::string, ExprId>>;

  static constexpr ExprId kTooLarge = 0;
  static constexpr ExprId kUnreadable = 1;  ///< A text is no expression, or no name.

  TreeBuilder();

  /// @return  kUnreadable: CuIR has no such names.
  ExprId name(std::string text);
  /// A negative number is the negation of a number, as the parser has it.
  ExprId integer(std::int64_t value);
  /// @param text  How the number, which is not negative, is written: "1e-05".
  ExprId real(double value, std::string text);
  ExprId string(std::string text);
  ExprId boolean(bool value);
  ExprId none();
  ExprId attribute(ExprId base, std::string name);
  /// "self.name"
  ExprId self(std::string name);
  ExprId index(ExprId base, const std::vector<ExprId>& subscripts);
  /// `from:to`; each may be kNoExpr.
  ExprId slice(ExprId from, ExprId to);
  ExprId tuple(std::vector<ExprId> items);
  ExprId call(ExprId callee, const std::vector<ExprId>& args, const Keywords& keywords = {});
  ExprId call(Op op, const std::vector<ExprId>& args, const Keywords& keywords = {});
  ExprId unary(Operator op, ExprId operand);
  ExprId binary(Operator op, ExprId left, ExprId right);

  /// An expression from its text, which may begin with blanks.
  ExprId parsed(const std::string& text);

  /// @param trailing  The comment behind a statement, such as a source mark; empty: none.
  StmtId assignment(ExprId target, ExprId value, std::string trailing = {});
  StmtId statement(ExprId value, std::string trailing = {});
  StmtId loop(const std::string& variable, ExprId range, std::vector<StmtId> body,
              std::string trailing = {});
  StmtId branch(ExprId condition, std::vector<StmtId> body, std::string trailing = {});
  StmtId leave();
  StmtId pass();

  /// The class `name` with these methods, as a program. @param methods  Of statements of this tree.
  const Program& finish(std::string name, std::vector<Method> methods);

  /// @errors kUnsupported: it is kTooLarge or kUnreadable.
  [[nodiscard]] static Status check(ExprId id);
  /// @errors As check() of all expressions in them.
  [[nodiscard]] Status check_body(const std::vector<StmtId>& body) const;

  [[nodiscard]] const Program& program() const { return program_; }

  /// The bytes of its text.
  [[nodiscard]] std::size_t bytes(ExprId id) const { return sizes_[id].bytes; }

  /// The bytes of their text, indented by `level` levels. @param body  check_body() finds nothing
  /// in it.
  [[nodiscard]] std::size_t bytes(const std::vector<StmtId>& body, std::size_t level) const;

 private:
  struct StmtSize {
    std::size_t bytes = 0;  // Without the indentation of its first level.
    std::size_t lines = 1;
    ExprId bad = kNoExpr;  // One that check() complains about.
  };

  ExprId add(Expr expr);
  /// The size of an expression, or the node that stands for it because it has none.
  ExprId measure(ExprId id);
  StmtId add(Stmt stmt);
  [[nodiscard]] StmtSize measure(const Stmt& stmt) const;

  Program program_;
  std::vector<PrintedSize> sizes_;    // By ExprId.
  std::vector<StmtSize> stmt_sizes_;  // By StmtId.
};

}  // namespace ws::ir
