// Lambda expressions: each call is the statements of its body, so that what it captures are the
// variables around it.
#include "runtime/compile/clang/tree_builder.h"

namespace ws::clang_engine {

using lift::NodeKind;

namespace {

/// Whether a statement is, or holds, a `return` of the function that it is in.
bool returns(const clang::Stmt* node) {
  if (node == nullptr || llvm::isa<clang::LambdaExpr>(node)) {
    return false;
  }
  if (llvm::isa<clang::ReturnStmt>(node)) {
    return true;
  }
  for (const clang::Stmt* child : node->children()) {
    if (returns(child)) {
      return true;
    }
  }
  return false;
}

/// Why a lambda expression is no statements of the function around it; empty: it is.
std::string obstacle_of(const clang::CXXMethodDecl& lambda) {
  for (const clang::LambdaCapture& capture : lambda.getParent()->captures()) {
    if (!capture.capturesVariable()) {
      return "a lambda expression in a class";
    }
    const clang::ValueDecl& variable = *capture.getCapturedVar();
    // A copy of what never changes is the thing itself.
    const bool copied =
        capture.getCaptureKind() == clang::LCK_ByCopy && !variable.getType().isConstQualified();
    if (copied || variable.isInitCapture()) {
      return "a lambda expression that copies `" + variable.getNameAsString() + "`";
    }
  }
  const auto* body = llvm::dyn_cast_or_null<clang::CompoundStmt>(lambda.getBody());
  if (body == nullptr || !lambda.getReturnType()->isVoidType()) {
    return "a lambda expression that returns a value";
  }
  for (const clang::Stmt* child : body->body()) {
    const bool ends = child == body->body_back() && llvm::isa<clang::ReturnStmt>(child);
    if (returns(child) && !ends) {
      return "a lambda expression that returns early";
    }
  }
  return {};
}

}  // namespace

bool TreeBuilder::is_lambda(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->getParent()->isLambda();
}

lift::NodeId TreeBuilder::lambda_call(const clang::CallExpr& node,
                                      const clang::CXXMethodDecl& lambda) {
  if (const std::string obstacle = obstacle_of(lambda); !obstacle.empty()) {
    return unknown(&node, obstacle);
  }
  if (tree_.nodes.size() > lift::kMaxTreeNodes) {
    return unknown(&node, "lambda expressions that call each other too often");
  }
  std::vector<lift::NodeId> kids;
  for (unsigned i = 0; i < lambda.getNumParams(); ++i) {
    const clang::ParmVarDecl& param = *lambda.getParamDecl(i);
    const clang::Expr& argument = *node.getArg(i + 1);  // The first one is the lambda itself.
    lift::Node declared = make(NodeKind::kDeclare, &argument);
    declared.index = variable(param);
    tree_.variables[static_cast<std::size_t>(declared.index)].space = lift::Space::kLocal;
    declared.type = tree_.variable(declared.index).type;
    declared.kids = {expression(&argument)};
    kids.push_back(add(std::move(declared)));
  }
  for (const clang::Stmt* child : llvm::cast<clang::CompoundStmt>(lambda.getBody())->body()) {
    if (!llvm::isa<clang::ReturnStmt>(child)) {
      kids.push_back(statement(child));
    }
  }
  lift::Node made = make(NodeKind::kBlock, &node);
  made.kids = std::move(kids);
  return add(std::move(made));
}

}  // namespace ws::clang_engine
