// clang's tree of a kernel, and of the functions that it calls, as our own plain one.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>

#include "runtime/lift/tree/tree.h"

namespace ws::clang_engine {

inline constexpr const char* kDestroyed = "an object with a destructor of its own";

/// Functions of the engine's own headers stay calls by name: they are primitives to the lifter, but
/// for those that consist of PTX (kEnteredHeader). A class's functions have their object as the
/// first parameter, `this`, a reference.
/// A call of a lambda expression becomes the statements of its body.
/// Nodes that it does not know become NodeKind::kUnknown, never something else.
class TreeBuilder {
 public:
  explicit TreeBuilder(clang::ASTContext& context)
      : context_(context) {}

  /// Adds the function as an entry, and all that it calls.
  void add_entry(const clang::FunctionDecl& kernel);

  /// A kernel with more nodes than a tree may have gives functions that are not understood.
  [[nodiscard]] lift::Tree take();

 private:
  // tree_statements.cpp
  lift::NodeId statement(const clang::Stmt* node);
  lift::NodeId plain_statement(const clang::Stmt* node);
  lift::NodeId branch(const clang::IfStmt& node);
  lift::NodeId loop(const clang::ForStmt& node, std::int64_t unroll);
  lift::NodeId declarations(const clang::DeclStmt& node);
  lift::NodeId assembly(const clang::GCCAsmStmt& node);
  lift::NodeId attributed(const clang::AttributedStmt& node);

  // tree_expressions.cpp
  lift::NodeId expression(const clang::Expr* node);
  lift::NodeId folded(const clang::Expr* node);
  lift::NodeId plain_expression(const clang::Expr* node);
  lift::NodeId operation(const clang::Expr* node);
  lift::NodeId unary(const clang::UnaryOperator& node);
  lift::NodeId cast(const clang::CastExpr& node);
  static void set_operator(lift::Node& node, lift::NodeKind kind, llvm::StringRef text,
                           lift::OperatorForm form);

  // tree_calls.cpp
  lift::NodeId call(const clang::CallExpr& node);
  static std::int64_t change_bit(clang::QualType param, const clang::Expr& argument,
                                 unsigned index);
  static std::int64_t changed_arguments(const clang::CallExpr& node,
                                        const clang::FunctionDecl& callee);
  lift::NodeId operator_call(const clang::CXXOperatorCallExpr& node);
  lift::NodeId member_call(const clang::CXXMemberCallExpr& node);
  lift::NodeId construction(const clang::CXXConstructExpr& node);

  // tree_lambdas.cpp
  static bool is_lambda(clang::QualType type);
  static bool is_lambda(const clang::FunctionDecl& function);
  [[nodiscard]] std::string capture_obstacle(const clang::LambdaCapture& capture) const;
  [[nodiscard]] std::string making_obstacle(const clang::Expr* node) const;
  [[nodiscard]] std::string call_obstacle(const clang::CXXMethodDecl& lambda) const;
  lift::NodeId lambda_call(const clang::CallExpr& node, const clang::CXXMethodDecl& lambda);

  // tree_functions.cpp
  lift::FunctionId function(const clang::FunctionDecl& declaration);
  void build_pending();
  lift::NodeId body_of(const clang::FunctionDecl& declaration);
  lift::VariableId variable(const clang::VarDecl& declaration);
  lift::VariableId object_of(const clang::CXXMethodDecl& method);
  lift::NodeId constructor_call(const clang::CXXConstructExpr& node, lift::Node declared);
  lift::NodeId this_object(const clang::CXXThisExpr& node);
  /// Whether it is looked into: the client's, or one that consists of PTX.
  [[nodiscard]] bool is_entered(const clang::FunctionDecl& function) const;
  /// Whether an object begins by a constructor that does something.
  [[nodiscard]] bool is_constructed(const clang::CXXConstructExpr& node) const;
  /// Whether a copy of an object, or of one in it, is what the client's constructor makes of it.
  [[nodiscard]] bool copies_by_itself(const clang::CXXRecordDecl& record) const;

  // tree_types.cpp
  lift::TypeId type(clang::QualType type);
  lift::TypeId record(clang::QualType type, const clang::RecordDecl& declaration);
  lift::Range range(const clang::Stmt* node);
  lift::Range range(clang::SourceRange range);
  /// Whether the client wrote it.
  [[nodiscard]] bool is_client(const clang::Decl& declaration) const;

  lift::Node make(lift::NodeKind kind, const clang::Stmt* node);
  lift::NodeId add(lift::Node node);
  lift::NodeId unknown(const clang::Stmt* node, std::string what);

  clang::ASTContext& context_;
  lift::Tree tree_;
  std::map<std::string, std::int32_t> regions_;
  std::map<const void*, lift::TypeId> types_;
  std::map<const clang::VarDecl*, lift::VariableId> variables_;
  std::map<const clang::FunctionDecl*, lift::FunctionId> functions_;
  std::map<const clang::CXXMethodDecl*, lift::VariableId> objects_;  // `this`, by function.
  lift::VariableId this_ = lift::kNone;  // The `this` of the function that is being built.
  std::vector<const clang::FunctionDecl*> pending_;     // Have a number, and no body yet.
  std::set<const clang::CXXMethodDecl*> open_lambdas_;  // Calls that are being built.
  int depth_ = 0;
  bool full_ = false;  // There is more than kMaxTreeNodes.
};

}  // namespace ws::clang_engine
