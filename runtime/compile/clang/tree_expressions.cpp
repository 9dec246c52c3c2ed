// Expressions of a tree. What clang can compute is a constant in it.
#include <clang/AST/DeclTemplate.h>

#include "runtime/compile/clang/tree_builder.h"

namespace ws::clang_engine {

using lift::kNone;
using lift::NodeKind;

namespace {

constexpr const char* kLambdaAsValue = "a lambda expression that is passed on or kept as a value";

/// Nodes that are left out: they say how a value is computed, not which.
const clang::Expr* bare(const clang::Expr* node) {
  for (;;) {
    const clang::Expr* inner = node->IgnoreParens();
    if (const auto* kept = llvm::dyn_cast<clang::FullExpr>(inner)) {
      inner = kept->getSubExpr();
    } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(inner)) {
      inner = temporary->getSubExpr();
    } else if (const auto* replaced = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner)) {
      inner = replaced->getReplacement();
    } else if (const auto* omitted = llvm::dyn_cast<clang::CXXDefaultArgExpr>(inner)) {
      inner = omitted->getExpr();
    } else if (const auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(inner);
               opaque != nullptr && opaque->getSourceExpr() != nullptr) {
      inner = opaque->getSourceExpr();
    } else if (const auto* property = llvm::dyn_cast<clang::PseudoObjectExpr>(inner);
               property != nullptr && property->getResultExpr() != nullptr) {
      inner = property->getResultExpr();
    }
    if (inner == node) {
      return node;
    }
    node = inner;
  }
}

/// `assert(x)`: the kernel computes the same where it holds.
bool is_assertion(const clang::ConditionalOperator& node) {
  const auto* stop = llvm::dyn_cast<clang::CallExpr>(bare(node.getFalseExpr()));
  const clang::FunctionDecl* callee = stop == nullptr ? nullptr : stop->getDirectCallee();
  const auto* nothing = llvm::dyn_cast<clang::CastExpr>(bare(node.getTrueExpr()));
  return callee != nullptr && callee->getNameAsString() == "ws_rt_stop" && nothing != nullptr &&
         llvm::isa<clang::IntegerLiteral>(bare(nothing->getSubExpr()));
}

}  // namespace

void TreeBuilder::set_operator(lift::Node& node, NodeKind kind, llvm::StringRef text,
                               lift::OperatorForm form) {
  const auto op = kind == NodeKind::kAssign && text.empty()
                      ? std::optional(lift::COperator::kNone)
                      : lift::find_operator(std::string_view(text.data(), text.size()), form);
  node.kind = op ? kind : NodeKind::kUnknown;
  node.op = op.value_or(lift::COperator::kNone);
  node.text = op ? "" : "the operator `" + text.str() + "`";
}

lift::NodeId TreeBuilder::expression(const clang::Expr* given) {
  const clang::Expr* node = bare(given);
  if (depth_ >= lift::kMaxTreeDepth / 4) {
    return unknown(node, "too deeply nested");
  }
  ++depth_;
  lift::NodeId made = folded(node);
  made = made == kNone ? plain_expression(node) : made;
  --depth_;
  return made;
}

lift::NodeId TreeBuilder::folded(const clang::Expr* node) {
  if (node->isValueDependent() || node->isTypeDependent() || node->isLValue()) {
    return kNone;
  }
  clang::Expr::EvalResult result;
  if (node->getType()->isIntegralOrEnumerationType() && node->EvaluateAsInt(result, context_) &&
      !result.HasSideEffects) {
    lift::Node made = make(NodeKind::kInt, node);
    // Sizes beyond 63 bits do not occur; their low bits are as good as any.
    made.value = result.Val.getInt().extOrTrunc(64).getSExtValue();
    return add(std::move(made));
  }
  if (!node->getType()->isRealFloatingType()) {
    return kNone;
  }
  llvm::APFloat number(0.0);
  if (!node->EvaluateAsFloat(number, context_)) {
    return kNone;
  }
  bool lost = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
  lift::Node made = make(NodeKind::kFloat, node);
  made.number = number.convertToDouble();
  return add(std::move(made));
}

lift::NodeId TreeBuilder::plain_expression(const clang::Expr* node) {
  if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(node)) {
    if (is_lambda(node->getType())) {
      return unknown(node, kLambdaAsValue);
    }
    if (const auto* declared = llvm::dyn_cast<clang::VarDecl>(reference->getDecl())) {
      const lift::VariableId id = variable(*declared);
      lift::Node made = make(NodeKind::kVariable, node);
      made.index = id;
      return add(std::move(made));
    }
    return unknown(node, "a name that is no variable");
  }
  if (const auto* operated = llvm::dyn_cast<clang::CXXOperatorCallExpr>(node)) {
    return operator_call(*operated);
  }
  if (const auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(node)) {
    return member_call(*method);
  }
  if (const auto* called = llvm::dyn_cast<clang::CallExpr>(node)) {
    return call(*called);
  }
  if (const auto* conversion = llvm::dyn_cast<clang::CastExpr>(node)) {
    return cast(*conversion);
  }
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(node)) {
    return construction(*made);
  }
  if (const auto* self = llvm::dyn_cast<clang::CXXThisExpr>(node)) {
    return this_object(*self);
  }
  if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(node)) {
    return is_client(*bound->getTemporary()->getDestructor()) ? unknown(node, kDestroyed)
                                                              : expression(bound->getSubExpr());
  }
  if (const auto* single = llvm::dyn_cast<clang::UnaryOperator>(node)) {
    return unary(*single);
  }
  return operation(node);
}

lift::NodeId TreeBuilder::operation(const clang::Expr* node) {
  lift::Node made = make(NodeKind::kUnknown, node);
  std::vector<const clang::Expr*> parts;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(node)) {
    const bool plain = binary->getOpcode() == clang::BO_Assign;
    const auto opcode = binary->isCompoundAssignmentOp()
                            ? clang::BinaryOperator::getOpForCompoundAssignment(binary->getOpcode())
                            : binary->getOpcode();
    set_operator(made, binary->isAssignmentOp() ? NodeKind::kAssign : NodeKind::kBinary,
                 plain ? "" : clang::BinaryOperator::getOpcodeStr(opcode),
                 lift::OperatorForm::kBinary);
    parts = {binary->getLHS(), binary->getRHS()};
  } else if (const auto* select = llvm::dyn_cast<clang::ConditionalOperator>(node)) {
    made.kind =
        node->getType()->isVoidType() && !is_assertion(*select) ? NodeKind::kIf : NodeKind::kSelect;
    parts = {select->getCond(), select->getTrueExpr(), select->getFalseExpr()};
  } else if (const auto* index = llvm::dyn_cast<clang::ArraySubscriptExpr>(node)) {
    made.kind = NodeKind::kIndex;
    parts = {index->getBase(), index->getIdx()};
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(node)) {
    made.kind = NodeKind::kMember;
    made.text = member->getMemberDecl()->getNameAsString();
    parts = {member->getBase()};
  } else if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(node)) {
    made.kind = NodeKind::kList;
    for (unsigned i = 0; i < list->getNumInits(); ++i) {
      parts.push_back(list->getInit(i));
    }
  } else if (llvm::isa<clang::ImplicitValueInitExpr>(node) ||
             llvm::isa<clang::CXXScalarValueInitExpr>(node)) {
    made.kind = NodeKind::kList;
  } else if (llvm::isa<clang::CXXNullPtrLiteralExpr>(node)) {
    made.kind = NodeKind::kInt;  // As the null pointer `0`.
  } else {
    made.text = llvm::isa<clang::LambdaExpr>(node) ? kLambdaAsValue : node->getStmtClassName();
  }
  for (const clang::Expr* part : parts) {
    made.kids.push_back(expression(part));
  }
  const auto* member = llvm::dyn_cast<clang::MemberExpr>(node);
  if (member != nullptr && member->isArrow()) {
    // The address of `this` is the object itself.
    if (const lift::Node& inner = tree_.node(made.kids[0]); inner.kind == NodeKind::kAddress) {
      made.kids = inner.kids;
      return add(std::move(made));
    }
    lift::Node target = make(NodeKind::kDereference, member->getBase());
    target.type = type(member->getBase()->getType()->getPointeeType());
    target.kids = made.kids;
    made.kids = {add(std::move(target))};
  }
  return add(std::move(made));
}

lift::NodeId TreeBuilder::unary(const clang::UnaryOperator& node) {
  const lift::NodeId inner = expression(node.getSubExpr());
  if (node.getOpcode() == clang::UO_Plus) {
    return inner;
  }
  lift::Node made = make(NodeKind::kUnary, &node);
  if (node.getOpcode() == clang::UO_Deref) {
    made.kind = NodeKind::kDereference;
  } else if (node.getOpcode() == clang::UO_AddrOf) {
    made.kind = NodeKind::kAddress;
  } else {
    set_operator(made, NodeKind::kUnary, clang::UnaryOperator::getOpcodeStr(node.getOpcode()),
                 node.isPostfix() ? lift::OperatorForm::kPostfix : lift::OperatorForm::kPrefix);
  }
  made.kids = {inner};
  return add(std::move(made));
}

lift::NodeId TreeBuilder::cast(const clang::CastExpr& node) {
  const lift::NodeId inner = expression(node.getSubExpr());
  switch (node.getCastKind()) {
    case clang::CK_IntegralCast:
    case clang::CK_FloatingCast:
    case clang::CK_IntegralToFloating:
    case clang::CK_FloatingToIntegral:
    case clang::CK_IntegralToBoolean:
    case clang::CK_FloatingToBoolean:
    case clang::CK_PointerToIntegral:
    case clang::CK_IntegralToPointer:
    case clang::CK_PointerToBoolean:
    case clang::CK_BitCast:
    case clang::CK_LValueBitCast:
    case clang::CK_AddressSpaceConversion: {
      lift::Node made = make(NodeKind::kCast, &node);
      made.text = node.getCastKindName();
      made.kids = {inner};
      return add(std::move(made));
    }
    default:
      return inner;  // Reads of variables, decays of arrays, and what a construction below it does.
  }
}

}  // namespace ws::clang_engine
