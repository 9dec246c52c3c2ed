// The checker's inside: an interpreter whose values are types.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/ir/check/checker.h"
#include "runtime/ir/check/infer.h"
#include "runtime/ir/check/roles.h"

namespace ws::ir {

class Checker {
 public:
  Checker(const Program& program, std::span<const KernelArg> args, Diagnostics& diagnostics,
          std::vector<Type>* types)
      : program_(program),
        args_(args),
        diagnostics_(diagnostics),
        types_(types) {}

  void run();

 private:
  using Names = std::map<std::string, Type>;

  /// How a list of statements ends.
  enum class End : std::uint8_t { kNext, kLeave };

  struct Part {
    bool single = false;    // An index; else a slice.
    bool new_axis = false;  // None
    Type from;              // None: open.
    Type to;
  };

  // checker.cpp: the kernel.
  void constants();
  void setup();
  void annotation(const Param& param, const Type& type, Names& names);
  Type argument(const Param& param);
  void roles();
  void bind(const std::vector<Type>& args, SourcePlace place);

  // checker_stmt.cpp
  End block(const std::vector<StmtId>& body);
  End statement(const Stmt& stmt);
  void assign(ExprId target, const Type& value);
  void assign_part(const Expr& target, const Type& value);
  void assign_self(const Expr& target, const Type& value);
  void augment(const Stmt& stmt);
  End branches(const Stmt& stmt);
  void loop(const Stmt& stmt);
  static void join_into(Names& into, const Names& other);

  // checker_expr.cpp
  Type eval(ExprId id);
  Type eval_kind(const Expr& expr);
  Type eval_statement(ExprId id);
  Type name(const Expr& expr);
  Type attribute(const Expr& expr);
  Type operation(const Expr& expr);
  Type index(const Expr& expr);
  Type index_of(const Expr& expr, const Type& base);
  Part part(ExprId id);
  Result<Type> slice(const Type& base, const std::vector<Part>& parts);

  // checker_call.cpp
  Type call(const Expr& expr);
  Type call_op(const OpInfo& info, std::vector<Type> args, std::size_t positional,
               const Expr& expr);
  Type call_method(const Method& method, const std::vector<Type>& args, const Expr& expr);
  Type attribute_call(const Expr& expr);
  void place_rules(const OpInfo& info, const Type& result, SourcePlace place);
  std::vector<Type> arguments(const Expr& expr);
  [[nodiscard]] const Method* own_method(const Expr& expr) const;

  Type error(SourcePlace place, std::string message, std::string hint = {});
  Type error(SourcePlace place, const Error& cause, const std::string& prefix = {});

  /// A value that an error left: nothing more is said about it.
  static Type broken();

  static bool is_broken(const Type& type) { return type.kind == Kind::kMixed; }

  const Program& program_;
  std::span<const KernelArg> args_;
  Diagnostics& diagnostics_;
  std::vector<Type>* types_;  // By expression; null: nobody asks.
  Names globals_;
  Names self_;
  Names locals_;
  std::vector<std::string> calls_;  // Methods that are being checked, outermost first.
  std::vector<RoleThreads> taken_;

  struct BoundRole {
    std::string method;
    Type number;
    Type place;  // Among those of its bind.
  };

  std::vector<BoundRole> bound_;
  Type returned_;
  std::int64_t shared_bytes_ = 0;
  bool in_role_ = false;
};

}  // namespace ws::ir
