// Types, source ranges and the tables of a tree.
#include <algorithm>

#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include "runtime/compile/clang/source_files.h"
#include "runtime/compile/clang/tree_builder.h"

namespace ws::clang_engine {

using lift::kNone;
using lift::NodeKind;
using lift::TypeKind;

namespace {

/// Classes that are numbers to everyone but the compiler.
bool is_small_float(llvm::StringRef name) {
  return name == "__half" || name == "__nv_bfloat16" || name == "__nv_fp8_e4m3" ||
         name == "__nv_fp8_e5m2";
}

}  // namespace

lift::TypeId TreeBuilder::type(clang::QualType given) {
  const clang::QualType plain = given.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (const auto known = types_.find(plain.getAsOpaquePtr()); known != types_.end()) {
    return known->second;
  }
  lift::Type made;
  made.name = plain.getAsString(context_.getPrintingPolicy());
  const bool sized = !plain->isIncompleteType() && !plain->isFunctionType() &&
                     !plain->isDependentType() && !plain->isVoidType();
  made.bytes = sized ? context_.getTypeSizeInChars(plain).getQuantity() : 0;
  if (plain->isVoidType()) {
    made.kind = TypeKind::kVoid;
  } else if (plain->isIntegralOrEnumerationType()) {
    made.kind = TypeKind::kInt;
    made.is_signed = plain->isSignedIntegerOrEnumerationType();
  } else if (plain->isRealFloatingType()) {
    made.kind = TypeKind::kFloat;
  } else if (plain->isPointerType()) {
    made.kind = TypeKind::kPointer;
    const clang::QualType target = plain->getPointeeType();
    // A class may hold pointers to itself.
    made.element = target->isIncompleteType() || target->isFunctionType() ? kNone : type(target);
  } else if (const auto* array = context_.getAsArrayType(plain)) {
    made.kind = TypeKind::kArray;
    made.element = type(array->getElementType());
    const auto* constant = llvm::dyn_cast<clang::ConstantArrayType>(array);
    made.count = constant == nullptr ? 0 : static_cast<std::int64_t>(constant->getZExtSize());
  } else if (const auto* declaration = plain->getAsRecordDecl(); declaration != nullptr && sized) {
    return record(plain, *declaration);
  }
  tree_.types.push_back(std::move(made));
  return types_[plain.getAsOpaquePtr()] = static_cast<lift::TypeId>(tree_.types.size() - 1);
}

lift::TypeId TreeBuilder::record(clang::QualType plain, const clang::RecordDecl& declaration) {
  lift::Type made;
  made.name = plain.getAsString(context_.getPrintingPolicy());
  made.bytes = context_.getTypeSizeInChars(plain).getQuantity();
  const bool number = is_small_float(declaration.getName());
  made.kind = number ? TypeKind::kFloat : TypeKind::kStruct;
  // Until its fields are known, a class is known by name: they may point at it.
  tree_.types.push_back({.kind = TypeKind::kOther,
                         .name = made.name,
                         .bytes = made.bytes,
                         .is_signed = false,
                         .element = kNone,
                         .count = 0,
                         .fields = {}});
  types_[plain.getAsOpaquePtr()] = static_cast<lift::TypeId>(tree_.types.size() - 1);
  if (!number && !declaration.isUnion() && !declaration.isInvalidDecl()) {
    const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(&declaration);
    for (const clang::FieldDecl* field : declaration.fields()) {
      const std::uint64_t bytes =
          layout.getFieldOffset(field->getFieldIndex()) / context_.getCharWidth();
      made.fields.push_back(
          {field->getNameAsString(), type(field->getType()), static_cast<std::int64_t>(bytes)});
    }
  }
  const bool bits = std::ranges::any_of(
      declaration.fields(), [](const clang::FieldDecl* field) { return field->isBitField(); });
  if (declaration.isUnion() || bits) {
    made.kind = TypeKind::kOther;
    made.fields.clear();
  }
  tree_.types.push_back(std::move(made));
  return types_[plain.getAsOpaquePtr()] = static_cast<lift::TypeId>(tree_.types.size() - 1);
}

lift::Range TreeBuilder::range(const clang::Stmt* node) {
  return node == nullptr ? lift::Range{} : range(node->getSourceRange());
}

lift::Range TreeBuilder::range(clang::SourceRange given) {
  const clang::SourceManager& sources = context_.getSourceManager();
  if (given.isInvalid()) {
    return {};
  }
  const clang::SourceLocation from = sources.getExpansionLoc(given.getBegin());
  clang::SourceLocation to = sources.getExpansionRange(given.getEnd()).getEnd();
  to = clang::Lexer::getLocForEndOfToken(to, 0, sources, context_.getLangOpts());
  const std::string region = region_of(sources.getFilename(from));
  if (region.empty() || to.isInvalid()) {
    return {};
  }
  const auto [entry, fresh] =
      regions_.try_emplace(region, static_cast<std::int32_t>(tree_.regions.size()));
  if (fresh) {
    tree_.regions.push_back(region);
  }
  const auto number = [](unsigned value) { return static_cast<std::int32_t>(value); };
  return {entry->second, number(sources.getSpellingLineNumber(from)),
          number(sources.getSpellingColumnNumber(from)), number(sources.getSpellingLineNumber(to)),
          number(sources.getSpellingColumnNumber(to))};
}

bool TreeBuilder::is_client(const clang::Decl& declaration) const {
  const clang::SourceManager& sources = context_.getSourceManager();
  return !region_of(sources.getFilename(sources.getExpansionLoc(declaration.getLocation())))
              .empty();
}

lift::Node TreeBuilder::make(NodeKind kind, const clang::Stmt* node) {
  lift::Node made;
  made.kind = kind;
  made.range = range(node);
  if (const auto* value = llvm::dyn_cast_or_null<clang::Expr>(node)) {
    made.type = type(value->getType());
  }
  return made;
}

lift::NodeId TreeBuilder::add(lift::Node node) {
  if (tree_.nodes.size() >= lift::kMaxTreeNodes) {
    full_ = true;
    return static_cast<lift::NodeId>(tree_.nodes.size()) - 1;  // take() gives none of them.
  }
  tree_.nodes.push_back(std::move(node));
  return static_cast<lift::NodeId>(tree_.nodes.size()) - 1;
}

lift::Tree TreeBuilder::take() {
  if (full_) {
    lift::Node made;
    made.text = "a kernel of more than " + std::to_string(lift::kMaxTreeNodes) +
                " operations, with its functions and each call of a lambda expression";
    tree_.nodes = {std::move(made)};
    for (lift::Function& function : tree_.functions) {
      function.body = function.body == kNone ? kNone : 0;
    }
  }
  return std::move(tree_);
}

lift::NodeId TreeBuilder::unknown(const clang::Stmt* node, std::string what) {
  lift::Node made = make(NodeKind::kUnknown, node);
  made.text = std::move(what);
  return add(std::move(made));
}

}  // namespace ws::clang_engine
