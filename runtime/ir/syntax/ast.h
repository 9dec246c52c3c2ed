// A program as a tree. Nodes lie in two arrays and name each other by index, so that neither
// building nor dropping a tree recurses; the parser bounds its depth for those who walk it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/ir/syntax/diagnostics.h"
#include "runtime/ir/syntax/ops.h"

namespace ws::ir {

/// Deepest nesting of expressions, and of statements.
inline constexpr std::uint32_t kMaxExprNesting = 100;
inline constexpr std::uint32_t kMaxBlockNesting = 30;
/// Longest program in bytes.
inline constexpr std::size_t kMaxProgramBytes = std::size_t{1} << 20U;

using ExprId = std::uint32_t;
using StmtId = std::uint32_t;
inline constexpr ExprId kNoExpr = UINT32_MAX;

enum class ExprKind : std::uint8_t {
  kName,       // text
  kInteger,    // integer
  kFloat,      // number; text is what was written
  kString,     // text, without quotes
  kBool,       // integer
  kNone,       //
  kAttribute,  // kids[0] . text
  kIndex,      // kids[0] [ kids[1..] ]
  kSlice,      // kids: from, to, step; each may be kNoExpr
  kCall,       // kids[0] ( kids[1..] ); the last keywords.size() of them are named
  kUnary,      // operators[0] kids[0]
  kBinary,     // kids[0] operators[0] kids[1]
  kCompare,    // kids[0] operators[0] kids[1] operators[1] kids[2] ...
  kLogic,      // kids joined by operators[0], `and` or `or`
  kIfElse,     // kids[0] if kids[1] else kids[2]
  kTuple,      // kids; a list is a tuple
};

struct Expr {
  ExprKind kind = ExprKind::kNone;
  SourcePlace place;
  std::uint32_t depth = 1;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;
  std::vector<ExprId> kids;
  std::vector<Operator> operators;
  std::vector<std::string> keywords;
};

enum class StmtKind : std::uint8_t {
  kExpr,      // value
  kAssign,    // targets[0] = targets[1] = ... = value
  kAugment,   // targets[0] op= value
  kFor,       // for targets[0] in value: arms[0]
  kWhile,     // while value: arms[0]
  kIf,        // arms, in order; one without a condition is `else`
  kReturn,    // value or kNoExpr
  kPass,      //
  kBreak,     //
  kContinue,  //
  kImport,    // text, as written
};

/// One branch of an `if`, or the body of a loop.
struct Arm {
  ExprId condition = kNoExpr;
  SourcePlace place;
  std::vector<StmtId> body;
};

struct Stmt {
  StmtKind kind = StmtKind::kPass;
  SourcePlace place;
  ExprId value = kNoExpr;
  std::vector<ExprId> targets;
  Operator op = Operator::kAdd;
  std::vector<Arm> arms;
  std::string text;
  std::vector<std::string> above;  ///< Comment lines above it, with their `#`.
  std::string trailing;            ///< Comment at its end; "# @ file.cu:3-9 R7" is a source mark.
};

struct Param {
  std::string name;
  SourcePlace place;
  ExprId annotation = kNoExpr;
  ExprId default_value = kNoExpr;
};

struct Method {
  std::string name;
  SourcePlace place;
  std::vector<Param> params;  ///< Without `self`.
  ExprId returns = kNoExpr;
  std::vector<StmtId> body;
  std::vector<std::string> above;
  std::string trailing;
};

/// One file: statements before the class (imports, constants), and the class.
struct Program {
  std::string text;  ///< The source, for messages.
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  std::vector<StmtId> before;
  std::string name;
  std::string base;
  SourcePlace place;
  std::string docstring;
  std::vector<std::string> above;
  std::string trailing;
  std::vector<StmtId> constants;  ///< Assignments in the class body.
  std::vector<Method> methods;
  std::vector<std::string> below;  ///< Comments after everything.

  [[nodiscard]] const Expr& expr(ExprId id) const { return exprs[id]; }

  [[nodiscard]] const Stmt& stmt(StmtId id) const { return stmts[id]; }

  [[nodiscard]] const Method* find_method(std::string_view method) const;
};

}  // namespace ws::ir
