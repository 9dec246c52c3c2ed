// Functions and variables of a tree, and the objects that functions of a class are called with.
#include <algorithm>

#include <clang/AST/Attr.h>
#include <clang/Basic/SourceManager.h>

#include "runtime/compile/clang/source_files.h"
#include "runtime/compile/clang/tree_builder.h"

namespace ws::clang_engine {

using lift::kNone;
using lift::NodeKind;
using lift::Space;

namespace {

Space space_of(const clang::VarDecl& declaration) {
  if (declaration.hasAttr<clang::CUDASharedAttr>()) {
    return Space::kShared;
  }
  if (declaration.hasAttr<clang::CUDAConstantAttr>()) {
    return Space::kConstant;
  }
  if (llvm::isa<clang::ParmVarDecl>(declaration)) {
    return Space::kParameter;
  }
  return declaration.hasGlobalStorage() ? Space::kGlobal : Space::kLocal;
}

}  // namespace

void TreeBuilder::add_entry(const clang::FunctionDecl& kernel) {
  tree_.entries.push_back(function(kernel));
  build_pending();
}

lift::FunctionId TreeBuilder::function(const clang::FunctionDecl& declaration) {
  const clang::FunctionDecl* definition = nullptr;
  declaration.hasBody(definition);
  const clang::FunctionDecl* key = definition == nullptr ? &declaration : definition;
  const auto [entry, fresh] =
      functions_.try_emplace(key, static_cast<lift::FunctionId>(tree_.functions.size()));
  if (fresh) {
    lift::Function made;
    made.name = key->getQualifiedNameAsString();
    made.kernel = key->hasAttr<clang::CUDAGlobalAttr>();
    made.range = range(key->getSourceRange());
    tree_.functions.push_back(std::move(made));
    pending_.push_back(key);
  }
  return entry->second;
}

void TreeBuilder::build_pending() {
  while (!pending_.empty()) {
    const clang::FunctionDecl& declaration = *pending_.back();
    pending_.pop_back();
    const auto at = static_cast<std::size_t>(functions_.at(&declaration));
    const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&declaration);
    this_ = method != nullptr && method->isInstance() ? object_of(*method) : kNone;
    if (this_ != kNone) {
      tree_.functions[at].params.push_back(this_);
    }
    for (const clang::ParmVarDecl* param : declaration.parameters()) {
      const lift::VariableId id = variable(*param);
      tree_.functions[at].params.push_back(id);
    }
    tree_.functions[at].result = type(declaration.getReturnType());
    if (const auto* bounds = declaration.getAttr<clang::CUDALaunchBoundsAttr>()) {
      clang::Expr::EvalResult threads;
      if (bounds->getMaxThreads()->EvaluateAsInt(threads, context_)) {
        tree_.functions[at].max_threads = threads.Val.getInt().getExtValue();
      }
    }
    // May add functions: the table moves.
    const lift::NodeId body = declaration.hasBody() ? body_of(declaration) : kNone;
    tree_.functions[at].body = body;
  }
}

/// A constructor's body begins with what it gives the fields.
lift::NodeId TreeBuilder::body_of(const clang::FunctionDecl& declaration) {
  const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&declaration);
  if (constructor == nullptr || constructor->getNumCtorInitializers() == 0) {
    return statement(declaration.getBody());
  }
  std::vector<lift::NodeId> kids;
  for (const clang::CXXCtorInitializer* first : constructor->inits()) {
    if (!first->isMemberInitializer()) {
      kids.push_back(unknown(first->getInit(), "a class with a base"));
      continue;
    }
    if (const auto* empty = llvm::dyn_cast<clang::CXXConstructExpr>(first->getInit());
        empty != nullptr && empty->getConstructor()->isTrivial()) {
      continue;
    }
    lift::Node object = make(NodeKind::kVariable, first->getInit());
    object.type = tree_.variable(this_).type;
    object.index = this_;
    lift::Node field = make(NodeKind::kMember, first->getInit());
    field.type = type(first->getMember()->getType());
    field.text = first->getMember()->getNameAsString();
    field.kids = {add(std::move(object))};
    lift::Node made = make(NodeKind::kAssign, first->getInit());
    made.kids = {add(std::move(field)), expression(first->getInit())};
    kids.push_back(add(std::move(made)));
  }
  kids.push_back(statement(declaration.getBody()));
  lift::Node both = make(NodeKind::kBlock, declaration.getBody());
  both.kids = std::move(kids);
  return add(std::move(both));
}

lift::VariableId TreeBuilder::object_of(const clang::CXXMethodDecl& method) {
  if (const auto known = objects_.find(&method); known != objects_.end()) {
    return known->second;
  }
  lift::Variable made;
  made.name = "this";
  made.type = type(context_.getRecordType(method.getParent()));
  made.space = Space::kParameter;
  made.reference = true;
  tree_.variables.push_back(std::move(made));
  return objects_[&method] = static_cast<lift::VariableId>(tree_.variables.size() - 1);
}

lift::VariableId TreeBuilder::variable(const clang::VarDecl& declaration) {
  const clang::VarDecl* key = declaration.getCanonicalDecl();
  if (const auto known = variables_.find(key); known != variables_.end()) {
    return known->second;
  }
  lift::Variable made;
  made.name = declaration.getNameAsString();
  made.type = type(declaration.getType());
  made.space = space_of(declaration);
  made.reference = declaration.getType()->isReferenceType();
  made.alignment = context_.getDeclAlign(&declaration).getQuantity();
  made.range = range(declaration.getSourceRange());
  tree_.variables.push_back(std::move(made));
  return variables_[key] = static_cast<lift::VariableId>(tree_.variables.size() - 1);
}

/// `Schedule order(m, n);` as a call with the object that was just declared.
lift::NodeId TreeBuilder::constructor_call(const clang::CXXConstructExpr& node,
                                           lift::Node declared) {
  lift::Node object = make(NodeKind::kVariable, &node);
  object.type = declared.type;
  object.index = declared.index;
  std::vector<lift::NodeId> kids = {add(std::move(object))};
  std::int64_t changed = 0;
  for (const clang::Expr* argument : node.arguments()) {
    const auto index = static_cast<unsigned>(kids.size());
    if (index <= node.getConstructor()->getNumParams()) {
      const clang::ParmVarDecl& param = *node.getConstructor()->getParamDecl(index - 1);
      changed |= change_bit(param.getType(), *argument, index);
    }
    kids.push_back(expression(argument));
  }
  lift::Node made = make(NodeKind::kCall, &node);
  made.value = changed;
  made.type = type(context_.VoidTy);
  made.range = declared.range;
  made.kids = std::move(kids);
  made.index = function(*node.getConstructor());
  made.text = node.getConstructor()->getQualifiedNameAsString();
  return add(std::move(made));
}

/// `this`: the address of the object that a function of a class is called with.
lift::NodeId TreeBuilder::this_object(const clang::CXXThisExpr& node) {
  if (this_ == kNone) {
    return unknown(&node, "an object of a class");
  }
  lift::Node object = make(NodeKind::kVariable, &node);
  object.type = type(node.getType()->getPointeeType());
  object.index = this_;
  lift::Node made = make(NodeKind::kAddress, &node);
  made.kids = {add(std::move(object))};
  return add(std::move(made));
}

bool TreeBuilder::is_entered(const clang::FunctionDecl& function) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  llvm::StringRef file = sources.getFilename(sources.getExpansionLoc(function.getLocation()));
  const bool ptx = file.consume_front(kHeaderFolder) && file == kEnteredHeader;
  return function.hasBody() && (ptx || is_client(function));
}

bool TreeBuilder::copies_by_itself(const clang::CXXRecordDecl& record) const {
  if (!is_client(record)) {
    return false;
  }
  const bool own = std::ranges::any_of(record.ctors(), [](const auto* constructor) {
    return constructor->isCopyOrMoveConstructor() && constructor->isUserProvided();
  });
  return own || std::ranges::any_of(record.fields(), [&](const clang::FieldDecl* field) {
           const clang::CXXRecordDecl* const part =
               context_.getBaseElementType(field->getType())->getAsCXXRecordDecl();
           return part != nullptr && copies_by_itself(*part);
         });
}

bool TreeBuilder::is_constructed(const clang::CXXConstructExpr& node) const {
  const clang::CXXConstructorDecl& constructor = *node.getConstructor();
  return !constructor.isCopyOrMoveConstructor() && !constructor.isTrivial() &&
         !constructor.isDefaulted() && is_client(constructor) && constructor.hasBody();
}

}  // namespace ws::clang_engine
