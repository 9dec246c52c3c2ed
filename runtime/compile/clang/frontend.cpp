#include "runtime/compile/clang/frontend.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Mangle.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/MultiplexConsumer.h>

#include "runtime/compile/clang/diagnostics.h"
#include "runtime/compile/clang/frontend_arguments.h"
#include "runtime/compile/clang/precompiled.h"
#include "runtime/compile/clang/source_files.h"
#include "runtime/compile/clang/tree_builder.h"
#include "runtime/compile/clang/variables.h"

namespace ws::clang_engine {
namespace {

/// Finds what each probe function names: the kernel that a name expression stands for.
class EntryFinder : public clang::RecursiveASTVisitor<EntryFinder> {
 public:
  EntryFinder(std::vector<LoweredEntry>& entries, clang::DiagnosticsEngine& diagnostics)
      : entries_(entries),
        diagnostics_(diagnostics) {}

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    const clang::IdentifierInfo* name = function->getIdentifier();
    if (name != nullptr && name->getName().starts_with(kProbePrefix) && function->hasBody()) {
      unsigned index = 0;
      name->getName().drop_front(kProbePrefix.size()).getAsInteger(10, index);
      Target target;
      target.TraverseStmt(function->getBody());
      if (target.kernel != nullptr && index < entries_.size()) {
        describe(*target.kernel, entries_[index]);
      }
    }
    return true;
  }

  /// Where code and data lie, and what names stand for, is not for a source to say.
  bool VisitDecl(clang::Decl* declaration) {
    for (const clang::Attr* attribute : declaration->attrs()) {
      if (llvm::isa<clang::SectionAttr, clang::CodeSegAttr, clang::PragmaClangTextSectionAttr,
                    clang::PragmaClangDataSectionAttr, clang::PragmaClangRodataSectionAttr,
                    clang::PragmaClangBSSSectionAttr, clang::PragmaClangRelroSectionAttr,
                    clang::AliasAttr, clang::IFuncAttr, clang::WeakRefAttr, clang::AsmLabelAttr,
                    clang::ConstructorAttr, clang::DestructorAttr, clang::NakedAttr>(attribute)) {
        const unsigned error = diagnostics_.getCustomDiagID(
            clang::DiagnosticsEngine::Error, "attribute `%0` is not allowed in a kernel");
        diagnostics_.Report(attribute->getLocation(), error) << attribute->getSpelling();
      }
    }
    return true;
  }

  bool VisitIndirectGotoStmt(clang::IndirectGotoStmt* jump) {
    // In code such a jump stands once for a whole function, without a line.
    diagnostics_.Report(jump->getGotoLoc(), diagnostics_.getCustomDiagID(
                                                clang::DiagnosticsEngine::Error,
                                                "a jump to a computed address is not allowed"));
    return true;
  }

  bool VisitFileScopeAsmDecl(clang::FileScopeAsmDecl* assembly) {
    // clang drops it silently for a device; the contract refuses it.
    diagnostics_.Report(assembly->getAsmLoc(),
                        diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                     "assembly at file scope is not allowed"));
    return true;
  }

 private:
  struct Target : clang::RecursiveASTVisitor<Target> {
    const clang::FunctionDecl* kernel = nullptr;

    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
      // The first is the entry; others are its template arguments.
      if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
          function != nullptr && kernel == nullptr) {
        kernel = function;
      }
      return true;
    }
  };

  static void describe(const clang::FunctionDecl& kernel, LoweredEntry& entry) {
    if (!kernel.hasAttr<clang::CUDAGlobalAttr>()) {
      return;  // The caller says that the entry is no __global__ function.
    }
    entry.declaration = &kernel;
    clang::ASTContext& context = kernel.getASTContext();
    const std::unique_ptr<clang::MangleContext> mangler(context.createMangleContext());
    llvm::raw_string_ostream stream(entry.symbol);
    if (mangler->shouldMangleDeclName(&kernel)) {
      mangler->mangleName(clang::GlobalDecl(&kernel, clang::KernelReferenceKind::Kernel), stream);
    } else {
      stream << kernel.getName();
    }
    for (const clang::ParmVarDecl* param : kernel.parameters()) {
      const clang::QualType type = param->getType();
      entry.params.push_back(EntryParam{
          .name = param->getNameAsString(),
          .type = type.getAsString(),
          .size = static_cast<std::uint32_t>(context.getTypeSizeInChars(type).getQuantity()),
          .pointer = type->isPointerType(),
          .integer = type->isIntegralOrEnumerationType(),
          .element = {},
      });
    }
  }

  std::vector<LoweredEntry>& entries_;
  clang::DiagnosticsEngine& diagnostics_;
};

/// Looks at what is parsed now: what was parsed ahead is our own, and stays unread unless it is
/// used.
class EntryConsumer : public clang::ASTConsumer {
 public:
  explicit EntryConsumer(std::vector<LoweredEntry>& entries)
      : entries_(entries) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group) {
      if (!declaration->isFromASTFile()) {
        declarations_.push_back(declaration);
      }
    }
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    EntryFinder finder(entries_, context.getDiagnostics());
    for (clang::Decl* declaration : declarations_) {
      finder.TraverseDecl(declaration);
    }
  }

 private:
  std::vector<LoweredEntry>& entries_;
  std::vector<clang::Decl*> declarations_;
};

class KernelAction : public clang::EmitLLVMOnlyAction {
 public:
  KernelAction(llvm::LLVMContext* context, std::vector<LoweredEntry>& entries)
      : EmitLLVMOnlyAction(context),
        entries_(entries) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<EntryConsumer>(entries_));
    consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  std::vector<LoweredEntry>& entries_;
};

/// Parses only, and keeps the kernels' trees (lift::kTreeTarget).
class TreeAction : public clang::ASTFrontendAction {
 public:
  TreeAction(std::vector<LoweredEntry>& entries, std::string& tree)
      : entries_(entries),
        tree_(tree) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<EntryConsumer>(entries_);
  }

  void EndSourceFileAction() override {
    clang::CompilerInstance& compiler = getCompilerInstance();
    if (compiler.getDiagnostics().hasErrorOccurred() || !compiler.hasASTContext()) {
      return;
    }
    TreeBuilder builder(compiler.getASTContext());
    for (const LoweredEntry& entry : entries_) {
      if (entry.declaration != nullptr) {
        builder.add_entry(*entry.declaration);
      }
    }
    tree_ = lift::encode(builder.take());
  }

 private:
  std::vector<LoweredEntry>& entries_;
  std::string& tree_;
};

struct EntryMessage {
  const char* says;   ///< A part of clang's own words, about a line that the client never sent.
  const char* means;  ///< The meaning in the client's source.
};

constexpr EntryMessage kEntryMessages[] = {
    {"address of overloaded function",
     "a template, or one of several of this name: give its template arguments, as in `name<32>`"},
    {"function definition is not allowed here", "the source ends inside a block: a `}` is missing"},
};

std::string entry_message(const std::string& entry, const std::string& message) {
  for (const EntryMessage& row : kEntryMessages) {
    if (message.find(row.says) != std::string::npos) {
      return "entry `" + entry + "`: " + row.means;
    }
  }
  return "entry `" + entry + "`: " + message;
}

/// "entry `foo`: ..." instead of a place in a file that the client never sent.
void explain_entries(const CompileRequest& request, const std::vector<LoweredEntry>& entries,
                     CompileOutcome& outcome) {
  std::set<int> explained;
  std::erase_if(outcome.diagnostics, [&](Diagnostic& diagnostic) {
    if (diagnostic.region != "entry") {
      return false;
    }
    const bool repeated = !explained.insert(diagnostic.line).second;
    // Line 1 includes the source; entry i stands in line i + 2.
    const auto index = static_cast<std::size_t>(std::max(diagnostic.line - 2, 0));
    const std::string& entry =
        request.source.entries.at(std::min(index, request.source.entries.size() - 1));
    diagnostic.message = entry_message(entry, diagnostic.message);
    diagnostic.line = 0;
    diagnostic.column = 0;
    diagnostic.snippet.clear();
    outcome.diagnostics_total -= repeated ? 1 : 0;
    return repeated;
  });
  if (outcome.verdict != CompileVerdict::kCompiled) {
    outcome.message =
        outcome.diagnostics.empty() ? outcome.message : outcome.diagnostics.front().message;
    return;
  }
  for (const LoweredEntry& entry : entries) {
    if (entry.symbol.empty()) {
      outcome.verdict = CompileVerdict::kCompileError;
      outcome.message = "entry `" + entry.name + "`: not a __global__ function";
      outcome.diagnostics.insert(
          outcome.diagnostics.begin(),
          Diagnostic{
              .severity = "error", .message = outcome.message, .region = "entry", .snippet = {}});
      ++outcome.diagnostics_total;
      return;
    }
  }
}

constexpr const char* kUnavailable = "is unavailable: ";

bool says(const CompileOutcome& outcome, llvm::StringRef words) {
  return std::any_of(outcome.diagnostics.begin(), outcome.diagnostics.end(),
                     [&](const Diagnostic& diagnostic) {
                       return llvm::StringRef(diagnostic.message).contains(words);
                     });
}

bool names_something_unknown(const CompileOutcome& outcome) {
  return says(outcome, "use of undeclared identifier") || says(outcome, "no template named") ||
         says(outcome, "in namespace 'std'");
}

/// Whether the outcome with all headers is the one to tell.
bool knows_more(const CompileOutcome& again, const CompileOutcome& before) {
  return again.verdict == CompileVerdict::kCompiled || says(again, kUnavailable) ||
         again.diagnostics_total < before.diagnostics_total;
}

/// A header that says what is unavailable says what to use instead: its errors stand alone.
void keep_unavailable(CompileOutcome& outcome) {
  if (!says(outcome, kUnavailable)) {
    return;
  }
  std::erase_if(outcome.diagnostics, [](const Diagnostic& diagnostic) {
    return !llvm::StringRef(diagnostic.message).contains(kUnavailable);
  });
  outcome.diagnostics_total = static_cast<int>(outcome.diagnostics.size());
  outcome.message = outcome.diagnostics.front().message;
}

FrontendResult translate(const CompileRequest& request, Headers headers, llvm::LLVMContext& context,
                         CompileOutcome& outcome) {
  std::vector<std::string> arguments = language_arguments(request, headers);
  const PrecompiledFile* const ready = precompiled_for(request, arguments);
  add_source_arguments(request, arguments);
  DiagnosticCollector collector;
  clang::CompilerInstance compiler;
  compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  FrontendResult result;
  for (const std::string& entry : request.source.entries) {
    result.entries.push_back(LoweredEntry{.name = entry, .symbol = {}, .params = {}});
  }
  const bool understood = take_arguments(compiler, arguments);
  const auto files = memory_files(request);
  if (ready != nullptr) {
    use_precompiled(*ready, compiler, *files);
  }
  compiler.createFileManager(files);
  KernelAction action(&context, result.entries);
  TreeAction parse(result.entries, outcome.log);
  const bool tree = request.target == lift::kTreeTarget;
  const bool done = understood && compiler.ExecuteAction(
                                      tree ? static_cast<clang::FrontendAction&>(parse) : action);
  collector.finish(outcome);
  explain_entries(request, result.entries, outcome);
  if (tree) {
    return result;
  }
  if (outcome.verdict == CompileVerdict::kCompiled && done) {
    result.module = action.takeModule();
  }
  if (result.module) {
    publish_variables(*result.module);
  }
  if (!result.module && outcome.verdict == CompileVerdict::kCompiled) {
    outcome.verdict = CompileVerdict::kCompileError;
    outcome.message = "the compiler gave no module";
  }
  return result;
}

}  // namespace

FrontendResult run_frontend(const CompileRequest& request, llvm::LLVMContext& context,
                            CompileOutcome& outcome) {
  const CompileOutcome before = outcome;
  FrontendResult result = translate(request, Headers::kUsual, context, outcome);
  if (!names_something_unknown(outcome)) {
    return result;
  }
  CompileOutcome again = before;
  FrontendResult second = translate(request, Headers::kAll, context, again);
  if (!knows_more(again, outcome)) {
    return result;
  }
  keep_unavailable(again);
  outcome = std::move(again);
  return second;
}

}  // namespace ws::clang_engine
