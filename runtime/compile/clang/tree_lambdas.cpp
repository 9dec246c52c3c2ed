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

}  // namespace

bool TreeBuilder::is_lambda(clang::QualType type) {
  const clang::CXXRecordDecl* const record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record != nullptr && record->isLambda();
}

bool TreeBuilder::is_lambda(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return method != nullptr && method->getParent()->isLambda();
}

/// Why a capture is not the variable itself; empty: it is. A copy of what never changes is.
std::string TreeBuilder::capture_obstacle(const clang::LambdaCapture& capture) const {
  if (!capture.capturesVariable()) {
    return "a lambda expression in a class";
  }
  const clang::ValueDecl& variable = *capture.getCapturedVar();
  const clang::QualType type = variable.getType();
  const clang::CXXRecordDecl* const record =
      context_.getBaseElementType(type)->getAsCXXRecordDecl();
  const bool constant = type.isConstQualified() && type.isTriviallyCopyableType(context_) &&
                        (record == nullptr || !record->hasMutableFields());
  const bool copied = capture.getCaptureKind() == clang::LCK_ByCopy && !constant;
  return copied || variable.isInitCapture()
             ? "a lambda expression that copies `" + variable.getNameAsString() + "`"
             : "";
}

/// Why an expression that gives a lambda expression does more than its calls do; empty: it does
/// not.
std::string TreeBuilder::making_obstacle(const clang::Expr* node) const {
  const clang::Expr* const plain = node->IgnoreUnlessSpelledInSource();
  if (const auto* made = llvm::dyn_cast<clang::LambdaExpr>(plain)) {
    for (const clang::LambdaCapture& capture : made->captures()) {
      if (const std::string obstacle = capture_obstacle(capture); !obstacle.empty()) {
        return obstacle;
      }
    }
    return "";
  }
  return llvm::isa<clang::DeclRefExpr>(plain) ? "" : "a lambda expression that is computed";
}

/// Why a call is no statements of the function around it; empty: it is.
std::string TreeBuilder::call_obstacle(const clang::CXXMethodDecl& lambda) const {
  for (const clang::LambdaCapture& capture : lambda.getParent()->captures()) {
    if (const std::string obstacle = capture_obstacle(capture); !obstacle.empty()) {
      return obstacle;
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
  return open_lambdas_.contains(&lambda) ? "a lambda expression that calls itself" : "";
}

lift::NodeId TreeBuilder::lambda_call(const clang::CallExpr& node,
                                      const clang::CXXMethodDecl& lambda) {
  std::string obstacle = making_obstacle(node.getArg(0));
  obstacle = obstacle.empty() ? call_obstacle(lambda) : obstacle;
  if (!obstacle.empty() || full_) {
    return unknown(&node, std::move(obstacle));
  }
  std::vector<lift::NodeId> kids;
  for (unsigned i = 0; i < lambda.getNumParams(); ++i) {
    const clang::ParmVarDecl& param = *lambda.getParamDecl(i);
    const clang::Expr& argument = *node.getArg(i + 1);  // The first one is the lambda itself.
    if (is_lambda(param.getType())) {
      if (obstacle = making_obstacle(&argument); !obstacle.empty()) {
        return unknown(&node, std::move(obstacle));
      }
      continue;
    }
    lift::Node declared = make(NodeKind::kDeclare, &argument);
    declared.index = variable(param);
    tree_.variables[static_cast<std::size_t>(declared.index)].space = lift::Space::kLocal;
    declared.type = tree_.variable(declared.index).type;
    declared.kids = {expression(&argument)};
    kids.push_back(add(std::move(declared)));
  }
  open_lambdas_.insert(&lambda);
  for (const clang::Stmt* child : llvm::cast<clang::CompoundStmt>(lambda.getBody())->body()) {
    const auto* end = llvm::dyn_cast<clang::ReturnStmt>(child);
    const clang::Stmt* const done = end == nullptr ? child : end->getRetValue();
    if (done != nullptr) {  // `return other(x);` calls it.
      kids.push_back(statement(done));
    }
  }
  open_lambdas_.erase(&lambda);
  lift::Node made = make(NodeKind::kBlock, &node);
  made.kids = std::move(kids);
  return add(std::move(made));
}

}  // namespace ws::clang_engine
