#include "runtime/compile/clang/diagnostics.h"

#include <algorithm>

#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>

#include "runtime/compile/clang/frontend.h"

namespace ws::clang_engine {
namespace {

constexpr std::string_view kPrunedMark = "ws_invalid:";
constexpr std::size_t kMaxSnippet = 160;  // Bytes of a source line worth showing.

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

std::string snippet_of(const clang::SourceManager& sources, clang::SourceLocation at,
                       unsigned column) {
  const auto [file, offset] = sources.getDecomposedLoc(at);
  const llvm::StringRef text = sources.getBufferData(file);
  const std::size_t begin = offset + 1 - std::min(column, offset + 1);
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  if (end - begin > kMaxSnippet) {
    return {};
  }
  std::string line = text.slice(begin, end).str();
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line + "\n" + std::string(column - 1, ' ') + "^";
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
      diagnostic.snippet = snippet_of(sources, at, static_cast<unsigned>(diagnostic.column));
    }
  }
  const bool note = diagnostic.severity == "note";
  // A note that points into the engine's own headers names no line of the client's.
  if (!note || (!diagnostic.region.empty() && !seen_.empty())) {
    seen_.push_back(std::move(diagnostic));
  }
}

void DiagnosticCollector::finish(CompileOutcome& outcome) {
  const auto is_error = [](const Diagnostic& d) { return d.severity == "error"; };
  const auto first = std::find_if(seen_.begin(), seen_.end(), is_error);
  if (first != seen_.end()) {
    const bool pruned = first->message.find(kPrunedMark) != std::string::npos;
    outcome.verdict = pruned ? CompileVerdict::kPruned : CompileVerdict::kCompileError;
    outcome.message = first->message;
  }
  outcome.diagnostics_total = static_cast<int>(seen_.size());
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> others;
  bool after_error = false;
  for (Diagnostic& diagnostic : seen_) {
    after_error = diagnostic.severity == "note" ? after_error : is_error(diagnostic);
    (after_error ? errors : others).push_back(std::move(diagnostic));
  }
  errors.insert(errors.end(), std::make_move_iterator(others.begin()),
                std::make_move_iterator(others.end()));
  errors.resize(std::min(errors.size(), kMaxDiagnostics));
  outcome.diagnostics = std::move(errors);
  seen_.clear();
}

}  // namespace ws::clang_engine
