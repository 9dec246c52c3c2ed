#include "runtime/compile/clang/precompiled.h"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/ASTWriter.h>

#include "runtime/compile/clang/diagnostics.h"
#include "runtime/compile/clang/frontend_arguments.h"
#include "runtime/compile/clang/headers.h"
#include "runtime/compile/clang/source_files.h"
#include "runtime/compile/clang/toolkit_headers.h"

namespace ws::clang_engine {
namespace {

/// Those that are worth it, beside the headers that each source has.
constexpr std::array kKept = {"cuda_fp16.h", "cuda_bf16.h", "mma.h", "cooperative_groups.h"};

/// The options of a language are few, but nothing is kept without a limit.
constexpr std::size_t kMostFiles = 64;

/// A deque, as files that are in use stay where they are.
std::deque<PrecompiledFile>& made_files() {
  static std::deque<PrecompiledFile> files;
  return files;
}

/// Writes what it parses as a precompiled header.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  [[nodiscard]] const clang::PCHBuffer& written() const { return *buffer_; }

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef /*file*/) override {
    return std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), /*OutputFile=*/"", /*isysroot=*/"",
        buffer_, llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(),
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_ = std::make_shared<clang::PCHBuffer>();
};

std::string written_by_clang(const PrecompiledFile& file) {
  std::vector<std::string> arguments = file.arguments;
  arguments.push_back(file.source);
  DiagnosticCollector collector;
  clang::CompilerInstance compiler;
  compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
  if (!take_arguments(compiler, arguments)) {
    return {};
  }
  const auto files = memory_files(CompileRequest());
  files->addFile(file.source, 0, llvm::MemoryBuffer::getMemBuffer(file.text, file.source));
  compiler.createFileManager(files);
  PrecompileAction action;
  if (!compiler.ExecuteAction(action) || !action.written().IsComplete) {
    return {};
  }
  return std::string(action.written().Data.begin(), action.written().Data.end());
}

/// Adds `name` and what that header includes itself before all else.
void add_with_parts(const std::string& name, std::set<std::string>& names) {
  if (!names.insert(name).second) {
    return;
  }
  const auto embedded = embedded_headers();
  const auto own = std::find_if(embedded.begin(), embedded.end(),
                                [&](const EmbeddedHeader& header) { return header.name == name; });
  const std::string_view text =
      own != embedded.end() ? own->text : toolkit_header(name).value_or("");
  for (const std::string& part : leading_includes(text)) {
    add_with_parts(part, names);
  }
}

/// Those of kKept that the source includes before all else.
std::vector<std::string> kept_headers(const CompileRequest& request) {
  std::set<std::string> names;
  for (const std::string& name :
       leading_includes(request.source.macros + "\n" + request.source.source)) {
    if (request.source.headers.contains(name)) {
      break;  // The client's own: it may say anything.
    }
    add_with_parts(name, names);
  }
  std::vector<std::string> kept;
  std::copy_if(kKept.begin(), kKept.end(), std::back_inserter(kept),
               [&](const char* name) { return names.contains(name); });
  return kept;
}

const PrecompiledFile* find(const std::vector<std::string>& headers,
                            const std::vector<std::string>& arguments) {
  const auto& files = made_files();
  const auto found = std::find_if(files.begin(), files.end(), [&](const PrecompiledFile& file) {
    return file.headers == headers && file.arguments == arguments;
  });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace

bool precompile(const CompileRequest& request) {
  if (!request.target.empty()) {
    return false;  // A tree.
  }
  const std::vector<std::string> headers = kept_headers(request);
  const std::vector<std::string> arguments = language_arguments(request, Headers::kUsual);
  std::deque<PrecompiledFile>& files = made_files();
  if (find(headers, arguments) != nullptr || files.size() == kMostFiles) {
    return false;
  }
  const std::string number = std::to_string(files.size());
  PrecompiledFile& file = files.emplace_back();
  file.name = "/ws/ahead/" + number + ".pch";
  file.source = "/ws/ahead/" + number + ".h";
  file.headers = headers;
  file.arguments = arguments;
  for (const std::string& header : headers) {
    file.text += "#include <" + header + ">\n";
  }
  file.bytes = written_by_clang(file);
  return true;
}

const PrecompiledFile* precompiled_for(const CompileRequest& request,
                                       const std::vector<std::string>& arguments) {
  const PrecompiledFile* file = find(kept_headers(request), arguments);
  return file == nullptr || file->bytes.empty() ? nullptr : file;
}

void use_precompiled(const PrecompiledFile& file, clang::CompilerInstance& compiler,
                     llvm::vfs::InMemoryFileSystem& files) {
  files.addFile(file.source, 0, llvm::MemoryBuffer::getMemBuffer(file.text, file.source));
  files.addFile(file.name, 0,
                llvm::MemoryBuffer::getMemBuffer(file.bytes, file.name,
                                                 /*RequiresNullTerminator=*/false));
  compiler.getPreprocessorOpts().ImplicitPCHInclude = file.name;
}

}  // namespace ws::clang_engine
