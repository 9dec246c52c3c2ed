#include "runtime/compile/clang/diagnostics.h"

#include <algorithm>

#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>

#include "runtime/compile/clang/source_files.h"
#include "runtime/compile/diagnostics.h"

namespace ws::clang_engine {
namespace {

std::string severity_of(clang::DiagnosticsEngine::Level level) {
  switch (level) {
    case clang::DiagnosticsEngine::Note:
    case clang::DiagnosticsEngine::Remark:
    case clang::DiagnosticsEngine::Ignored:
      return "note";
    case clang::DiagnosticsEngine::Warning:
      return "warning";
    case clang::DiagnosticsEngine::Error:
    case clang::DiagnosticsEngine::Fatal:
      break;
  }
  return "error";
}

std::string line_at(const clang::SourceManager& sources, clang::SourceLocation at,
                    unsigned column) {
  const auto [file, offset] = sources.getDecomposedLoc(at);
  const llvm::StringRef text = sources.getBufferData(file);
  const std::size_t begin = offset + 1 - std::min(column, offset + 1);
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  return text.slice(begin, end).str();
}

}  // namespace

void DiagnosticCollector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                           const clang::Diagnostic& info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  llvm::SmallString<256> text;
  info.FormatDiagnostic(text);
  Diagnostic diagnostic{.severity = severity_of(level), .message = text.str().str()};
  if (info.getLocation().isValid() && info.hasSourceManager()) {
    const clang::SourceManager& sources = info.getSourceManager();
    clang::SourceLocation at = sources.getFileLoc(info.getLocation());
    diagnostic.region = region_of(sources.getFilename(at));
    if (!diagnostic.region.empty()) {
      diagnostic.line = static_cast<int>(sources.getSpellingLineNumber(at));
      diagnostic.column = static_cast<int>(sources.getSpellingColumnNumber(at));
      diagnostic.snippet = snippet_of(
          line_at(sources, at, static_cast<unsigned>(diagnostic.column)), diagnostic.column);
    }
  }
  const bool note = diagnostic.severity == "note";
  // A note that points into the engine's own headers names no line of the client's.
  if (!note || (!diagnostic.region.empty() && !seen_.empty())) {
    seen_.push_back(std::move(diagnostic));
  }
}

void DiagnosticCollector::finish(CompileOutcome& outcome) {
  settle(std::move(seen_), outcome);
  seen_.clear();
}

}  // namespace ws::clang_engine
