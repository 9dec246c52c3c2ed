// Statements of a tree.
#include <limits>

#include <clang/AST/Attr.h>

#include "runtime/compile/clang/tree_builder.h"

namespace ws::clang_engine {

using lift::kNone;
using lift::NodeKind;

namespace {

/// Leaves room for the reader's own limit: a node may be several levels of our tree.
constexpr int kMaxDepth = lift::kMaxTreeDepth / 4;

/// N of #pragma unroll N; 1 of nounroll; the largest number without an N; 0: no hint.
std::int64_t unroll_of(const clang::AttributedStmt& node, clang::ASTContext& context) {
  for (const clang::Attr* attribute : node.getAttrs()) {
    const auto* hint = llvm::dyn_cast<clang::LoopHintAttr>(attribute);
    if (hint == nullptr) {
      continue;
    }
    if (hint->getState() == clang::LoopHintAttr::Disable) {
      return 1;
    }
    const clang::Expr* count = hint->getValue();
    clang::Expr::EvalResult result;
    return count != nullptr && count->EvaluateAsInt(result, context)
               ? result.Val.getInt().getExtValue()
               : std::numeric_limits<std::int32_t>::max();
  }
  return 0;
}

}  // namespace

lift::NodeId TreeBuilder::statement(const clang::Stmt* node) {
  if (node == nullptr) {
    lift::Node empty;
    empty.kind = NodeKind::kBlock;
    return add(std::move(empty));
  }
  if (depth_ >= kMaxDepth) {
    return unknown(node, "too deeply nested");
  }
  ++depth_;
  const lift::NodeId made = plain_statement(node);
  --depth_;
  return made;
}

lift::NodeId TreeBuilder::plain_statement(const clang::Stmt* node) {
  if (const auto* value = llvm::dyn_cast<clang::Expr>(node)) {
    return expression(value);
  }
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(node)) {
    return declarations(*declaration);
  }
  if (const auto* condition = llvm::dyn_cast<clang::IfStmt>(node)) {
    return branch(*condition);
  }
  if (const auto* hinted = llvm::dyn_cast<clang::AttributedStmt>(node)) {
    return attributed(*hinted);
  }
  if (const auto* repeated = llvm::dyn_cast<clang::ForStmt>(node)) {
    return loop(*repeated, 0);
  }
  if (const auto* inline_asm = llvm::dyn_cast<clang::GCCAsmStmt>(node)) {
    return assembly(*inline_asm);
  }
  std::vector<lift::NodeId> kids;
  const auto finish = [&](NodeKind kind) {
    lift::Node made = make(kind, node);
    made.kids = std::move(kids);
    return add(std::move(made));
  };
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(node)) {
    for (const clang::Stmt* child : block->body()) {
      kids.push_back(statement(child));
    }
    return finish(NodeKind::kBlock);
  }
  if (const auto* repeated = llvm::dyn_cast<clang::WhileStmt>(node);
      repeated != nullptr && repeated->getConditionVariable() == nullptr) {
    kids = {expression(repeated->getCond()), statement(repeated->getBody())};
    return finish(NodeKind::kWhile);
  }
  if (const auto* repeated = llvm::dyn_cast<clang::DoStmt>(node)) {
    kids = {statement(repeated->getBody()), expression(repeated->getCond())};
    return finish(NodeKind::kDo);
  }
  if (const auto* end = llvm::dyn_cast<clang::ReturnStmt>(node)) {
    if (end->getRetValue() != nullptr) {
      kids.push_back(expression(end->getRetValue()));
    }
    return finish(NodeKind::kReturn);
  }
  if (llvm::isa<clang::BreakStmt>(node)) {
    return finish(NodeKind::kBreak);
  }
  if (llvm::isa<clang::ContinueStmt>(node)) {
    return finish(NodeKind::kContinue);
  }
  return llvm::isa<clang::NullStmt>(node) ? finish(NodeKind::kBlock)
                                          : unknown(node, node->getStmtClassName());
}

lift::NodeId TreeBuilder::branch(const clang::IfStmt& node) {
  if (node.getConditionVariable() != nullptr) {
    return unknown(&node, "a declaration as a condition");
  }
  std::vector<lift::NodeId> kids;
  const lift::NodeId first = node.getInit() == nullptr ? kNone : statement(node.getInit());
  kids.push_back(expression(node.getCond()));
  kids.push_back(statement(node.getThen()));
  if (node.getElse() != nullptr) {
    kids.push_back(statement(node.getElse()));
  }
  lift::Node made = make(NodeKind::kIf, &node);
  made.kids = std::move(kids);
  const lift::NodeId id = add(std::move(made));
  if (first == kNone) {
    return id;
  }
  lift::Node both = make(NodeKind::kBlock, &node);
  both.kids = {first, id};
  return add(std::move(both));
}

lift::NodeId TreeBuilder::loop(const clang::ForStmt& node, std::int64_t unroll) {
  if (node.getConditionVariable() != nullptr) {
    return unknown(&node, "a declaration as a condition");
  }
  std::vector<lift::NodeId> kids = {statement(node.getInit()), statement(node.getCond()),
                                    statement(node.getInc()), statement(node.getBody())};
  lift::Node made = make(NodeKind::kFor, &node);
  made.kids = std::move(kids);
  made.value = unroll;
  return add(std::move(made));
}

lift::NodeId TreeBuilder::attributed(const clang::AttributedStmt& node) {
  const clang::Stmt* inner = node.getSubStmt();
  if (const auto* repeated = llvm::dyn_cast<clang::ForStmt>(inner)) {
    return loop(*repeated, unroll_of(node, context_));
  }
  return statement(inner);
}

lift::NodeId TreeBuilder::declarations(const clang::DeclStmt& node) {
  std::vector<lift::NodeId> kids;
  for (const clang::Decl* declaration : node.decls()) {
    const auto* declared = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (declared == nullptr) {
      continue;  // A type or a using: nothing that runs here.
    }
    if (is_lambda(declared->getType()) && declared->getInit() != nullptr) {
      if (std::string obstacle = making_obstacle(declared->getInit()); !obstacle.empty()) {
        kids.push_back(unknown(declared->getInit(), std::move(obstacle)));
      }
      continue;  // Its calls are what runs.
    }
    const clang::CXXRecordDecl* const record =
        context_.getBaseElementType(declared->getType())->getAsCXXRecordDecl();
    if (record != nullptr && !record->hasTrivialDestructor() && is_client(*record)) {
      kids.push_back(unknown(&node, kDestroyed));
      continue;
    }
    const bool shared = declared->hasAttr<clang::CUDASharedAttr>();
    const auto* constructed = llvm::dyn_cast_or_null<clang::CXXConstructExpr>(declared->getInit());
    const bool called = constructed != nullptr && is_constructed(*constructed);
    std::vector<lift::NodeId> value;
    if (declared->getInit() != nullptr && !shared && !called) {
      value.push_back(expression(declared->getInit()));
    }
    lift::Node made = make(NodeKind::kDeclare, nullptr);
    made.index = variable(*declared);
    made.range = range(declared->getSourceRange());
    made.type = tree_.variable(made.index).type;
    made.kids = std::move(value);
    kids.push_back(add(std::move(made)));
    if (called && !shared) {
      kids.push_back(constructor_call(*constructed, tree_.node(kids.back())));
    }
  }
  if (kids.size() == 1) {
    return kids.front();
  }
  lift::Node made = make(NodeKind::kBlock, &node);
  made.kids = std::move(kids);
  return add(std::move(made));
}

lift::NodeId TreeBuilder::assembly(const clang::GCCAsmStmt& node) {
  std::vector<lift::NodeId> kids;
  std::vector<std::string> constraints;
  for (unsigned i = 0; i < node.getNumOutputs(); ++i) {
    kids.push_back(expression(node.getOutputExpr(i)));
    constraints.push_back(node.getOutputConstraint(i).str());
  }
  for (unsigned i = 0; i < node.getNumInputs(); ++i) {
    kids.push_back(expression(node.getInputExpr(i)));
    constraints.push_back(node.getInputConstraint(i).str());
  }
  lift::Node made = make(NodeKind::kAsm, &node);
  made.text = node.getAsmString()->getString().str();
  made.value = node.getNumOutputs();
  made.names = std::move(constraints);
  made.kids = std::move(kids);
  return add(std::move(made));
}

}  // namespace ws::clang_engine
