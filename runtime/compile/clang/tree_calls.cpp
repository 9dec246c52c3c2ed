// Calls in a tree: functions, operators and members of classes, and constructors.
#include <algorithm>
#include <array>

#include "runtime/compile/clang/tree_builder.h"

namespace ws::clang_engine {

using lift::NodeKind;

namespace {

/// 0 to 2 for `ws_x` to `ws_z`; -1: another name.
int axis_of(const clang::FunctionDecl& function) {
  const std::string name = function.getNameAsString();
  return name == "ws_x" ? 0 : name == "ws_y" ? 1 : name == "ws_z" ? 2 : -1;
}

/// A member of `threadIdx` and its like, which are classes of the engine's headers whose members
/// are functions: `ws_x`. Nothing: another function.
std::optional<lift::Builtin> builtin_of(const clang::FunctionDecl& function) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  if (method == nullptr || axis_of(function) < 0) {
    return std::nullopt;
  }
  constexpr std::array<std::pair<const char*, lift::Builtin>, 4> kRecords = {{
      {"ws_rt_thread_idx_t", lift::Builtin::kThreadIdx},
      {"ws_rt_block_idx_t", lift::Builtin::kBlockIdx},
      {"ws_rt_block_dim_t", lift::Builtin::kBlockDim},
      {"ws_rt_grid_dim_t", lift::Builtin::kGridDim},
  }};
  const llvm::StringRef record = method->getParent()->getName();
  const auto* const row = std::find_if(kRecords.begin(), kRecords.end(),
                                       [&](const auto& one) { return record == one.first; });
  return row == kRecords.end() ? std::nullopt : std::optional(row->second);
}

}  // namespace

lift::NodeId TreeBuilder::call(const clang::CallExpr& node) {
  const clang::FunctionDecl* callee = node.getDirectCallee();
  if (callee == nullptr) {
    return unknown(&node, "a call through a pointer");
  }
  if (const auto builtin = builtin_of(*callee)) {
    lift::Node made = make(NodeKind::kBuiltin, &node);
    made.builtin = *builtin;
    made.value = axis_of(*callee);
    return add(std::move(made));
  }
  std::vector<lift::NodeId> kids;
  for (const clang::Expr* argument : node.arguments()) {
    kids.push_back(expression(argument));
  }
  lift::Node made = make(NodeKind::kCall, &node);
  made.kids = std::move(kids);
  if (is_entered(*callee)) {
    made.index = function(*callee);
    made.value = changed_arguments(node, *callee);
  }
  made.text = callee->getQualifiedNameAsString();
  return add(std::move(made));
}

/// The bit of an argument, where it is a place that a reference lets the function change.
std::int64_t TreeBuilder::change_bit(clang::QualType param, const clang::Expr& argument,
                                     unsigned index) {
  const bool changes = param->isReferenceType() && !param.getNonReferenceType().isConstQualified();
  const bool place =
      argument.isGLValue() && !llvm::isa<clang::MaterializeTemporaryExpr>(argument.IgnoreParens());
  return changes && place && index < 63 ? std::int64_t{1} << index : 0;
}

/// Node::value of a call of an entered function. An operator of a class has its object first.
std::int64_t TreeBuilder::changed_arguments(const clang::CallExpr& node,
                                            const clang::FunctionDecl& callee) {
  const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
  const bool of_class = method != nullptr && method->isInstance();
  const auto* called = llvm::dyn_cast<clang::CXXMemberCallExpr>(&node);
  std::int64_t bits = 0;
  if (of_class) {
    const clang::Expr& object =
        called == nullptr ? *node.getArg(0) : *called->getImplicitObjectArgument();
    const bool place =
        object.getType()->isPointerType() ||
        (object.isGLValue() && !llvm::isa<clang::MaterializeTemporaryExpr>(object.IgnoreParens()));
    bits = place && (!method->isConst() || method->getParent()->hasMutableFields()) ? 1 : 0;
  }
  const unsigned first = of_class ? 1 : 0;
  const unsigned skipped = of_class && called == nullptr ? 1 : 0;
  for (unsigned i = 0; i < callee.getNumParams() && i + skipped < node.getNumArgs(); ++i) {
    bits |= change_bit(callee.getParamDecl(i)->getType(), *node.getArg(i + skipped), i + first);
  }
  return bits;
}

lift::NodeId TreeBuilder::operator_call(const clang::CXXOperatorCallExpr& node) {
  const clang::FunctionDecl* callee = node.getDirectCallee();
  if (callee != nullptr && is_lambda(*callee)) {
    return lambda_call(node, *llvm::cast<clang::CXXMethodDecl>(callee));
  }
  const bool copies = node.getOperator() == clang::OO_Equal && callee != nullptr &&
                      (callee->isTrivial() || !is_client(*callee));
  if (callee == nullptr || (is_client(*callee) && !copies)) {
    return call(node);
  }
  lift::Node made = make(NodeKind::kBinary, &node);
  llvm::StringRef spelling = clang::getOperatorSpelling(node.getOperator());
  if (copies || node.isAssignmentOp()) {
    spelling.consume_back("=");
    set_operator(made, NodeKind::kAssign, spelling, lift::OperatorForm::kBinary);
  } else if (node.getOperator() == clang::OO_Subscript) {
    made.kind = NodeKind::kCall;
    made.text = callee->getQualifiedNameAsString();
  } else if (node.getNumArgs() == 1) {
    set_operator(made, NodeKind::kUnary, spelling, lift::OperatorForm::kPrefix);
  } else {
    set_operator(made, NodeKind::kBinary, spelling, lift::OperatorForm::kBinary);
  }
  for (const clang::Expr* argument : node.arguments()) {
    made.kids.push_back(expression(argument));
  }
  return add(std::move(made));
}

lift::NodeId TreeBuilder::member_call(const clang::CXXMemberCallExpr& node) {
  const clang::CXXMethodDecl* method = node.getMethodDecl();
  const clang::CXXRecordDecl* record = node.getRecordDecl();
  if (method == nullptr || record == nullptr) {
    return unknown(&node, "a call through a pointer");
  }
  if (builtin_of(*method)) {
    return call(node);
  }
  const clang::Expr* object = node.getImplicitObjectArgument();
  if (llvm::isa<clang::CXXConversionDecl>(method) && !is_client(*method)) {
    lift::Node made = make(NodeKind::kCast, &node);
    made.kids = {expression(object)};
    return add(std::move(made));
  }
  const bool entered = is_entered(*method) && method->isInstance();
  if (entered && method->isVirtual()) {
    return unknown(&node, "a call of a virtual function");
  }
  lift::NodeId self = expression(object);
  if (entered && object->getType()->isPointerType()) {
    lift::Node target = make(NodeKind::kDereference, object);
    target.type = type(object->getType()->getPointeeType());
    target.kids = {self};
    self = add(std::move(target));
  }
  lift::Node made = make(NodeKind::kCall, &node);
  made.text = method->getQualifiedNameAsString();
  made.index = entered ? function(*method) : made.index;
  made.value = entered ? changed_arguments(node, *method) : 0;
  made.kids.push_back(self);
  for (const clang::Expr* argument : node.arguments()) {
    made.kids.push_back(expression(argument));
  }
  return add(std::move(made));
}

lift::NodeId TreeBuilder::construction(const clang::CXXConstructExpr& node) {
  const clang::CXXConstructorDecl& constructor = *node.getConstructor();
  if (node.getNumArgs() == 1 && constructor.isCopyOrMoveConstructor() &&
      (!is_client(constructor) || !copies_by_itself(*constructor.getParent()))) {
    return expression(node.getArg(0));
  }
  if (node.getNumArgs() == 0 && (constructor.isTrivial() || !is_client(constructor))) {
    lift::Node made = make(NodeKind::kList, &node);
    made.value = node.requiresZeroInitialization() ? 0 : 1;
    return add(std::move(made));
  }
  if (node.getNumArgs() == 1 && !is_client(constructor)) {
    lift::Node made = make(NodeKind::kCast, &node);
    made.kids = {expression(node.getArg(0))};
    return add(std::move(made));
  }
  return unknown(&node, "an object with a constructor of its own");
}

}  // namespace ws::clang_engine
