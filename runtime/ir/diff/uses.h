// The uses of a program's names: which say where copies, products and barriers act, and which say
// how often. A name is written as "self.sK", as "worker.s" for a local of a method, or alone for a
// constant outside methods.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/ir/syntax/ast.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// An argument of an operation and the parameter it goes to; null when the operation has none.
struct CallArg {
  ExprId expr = kNoExpr;
  const OpParam* param = nullptr;
};

/// A call as the language reads it: an operation, or a method of the class.
struct CallForm {
  const OpInfo* op = nullptr;
  const Method* method = nullptr;
  std::vector<CallArg> args;  ///< A method's value, and a barrier, first.
};

/// `expr` is a kCall; neither op nor method for what is no operation.
CallForm form_of(const Program& program, const Expr& expr);

/// Memory, products, barriers and roles: what orchestration consists of.
bool orchestrates(const OpInfo& info);

class Uses {
 public:
  explicit Uses(const Program& program);

  /// The name that a part, an attribute or a transposed look is taken of; empty for other
  /// expressions. `method` is where it stands, empty outside methods.
  [[nodiscard]] std::string root_of(const std::string& method, ExprId id) const;

  /// Every name in an expression.
  [[nodiscard]] std::set<std::string> names_in(const std::string& method, ExprId id) const;

  /// True when the statement, what is nested in it, or a method that it calls orchestrates.
  [[nodiscard]] bool orchestrates(const Stmt& stmt) const;

  [[nodiscard]] bool orchestrates(const Method& method) const {
    return acting_.count(method.name) != 0;
  }

  /// True when the argument is a value: it may change while the operation stays.
  [[nodiscard]] bool is_value(const std::string& method, const CallArg& arg) const;

  std::set<std::string> declared;  ///< Names, and methods as "worker()".
  std::set<std::string> inputs;    ///< Parameters of __init__: "__init__.Q".
  std::set<std::string> buffers;   ///< Hold memory or barriers, or parts of them.
  std::set<std::string> shared;    ///< Those of them that are memory of the block.
  std::set<std::string> operands;  ///< The operands of operations are computed from these.
  std::set<std::string> bounds;    ///< Loops run as often as these say.
  std::set<std::string> domain;    ///< The grid, loops and conditions are computed from these.

 private:
  /// `target` is computed from `reads`.
  struct Flow {
    std::string target;
    std::set<std::string> reads;
    bool loop = false;  // A loop's variable and its range.
  };

  void declare(const std::string& method, const std::vector<StmtId>& body);
  void collect(const std::string& method, const std::vector<StmtId>& body);
  void collect_simple(const std::string& method, const Stmt& stmt);
  void collect_calls(const std::string& method, ExprId id);
  void find_buffers();
  void find_acting();
  [[nodiscard]] bool orchestrates(ExprId id) const;
  void add_names(const std::string& method, ExprId id, std::set<std::string>& into) const;
  [[nodiscard]] std::string qualified(const std::string& method, const std::string& name) const;
  void close(std::set<std::string>& names, bool through_loops) const;

  template <typename Each>
  void each_assignment(Each&& each) const;

  const Program& program_;
  std::vector<Flow> flows_;
  std::set<std::string> acting_;  // Methods that orchestrate.
};

}  // namespace ws::ir
