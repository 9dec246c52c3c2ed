#include "runtime/compile/diagnostics.h"

#include <algorithm>
#include <iterator>

namespace ws {
namespace {

constexpr std::string_view kPrunedMark = "ws_invalid:";
constexpr std::size_t kMaxSnippet = 160;  // Bytes of a source line worth showing.

}  // namespace

std::vector<std::string_view> line_views(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view line_at(std::string_view text, int number) {
  const std::vector<std::string_view> lines = line_views(text);
  const auto index = static_cast<std::size_t>(number) - 1;
  return number >= 1 && index < lines.size() ? lines[index] : std::string_view();
}

const std::string* region_text(const CompileRequest& request, const std::string& region) {
  if (region == "source") {
    return &request.source.source;
  }
  if (region == "macros") {
    return &request.source.macros;
  }
  const auto header = request.source.headers.find(region);
  return header == request.source.headers.end() ? nullptr : &header->second;
}

std::string snippet_of(std::string_view line, int column) {
  if (line.size() > kMaxSnippet || column < 1) {
    return {};
  }
  std::string text(line);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text + "\n" + std::string(static_cast<std::size_t>(column) - 1, ' ') + "^";
}

void settle(std::vector<Diagnostic> seen, CompileOutcome& outcome) {
  const auto is_error = [](const Diagnostic& d) { return d.severity == "error"; };
  const auto first = std::find_if(seen.begin(), seen.end(), is_error);
  if (first != seen.end()) {
    const bool pruned = first->message.find(kPrunedMark) != std::string::npos;
    outcome.verdict = pruned ? CompileVerdict::kPruned : CompileVerdict::kCompileError;
    outcome.message = first->message;
  }
  outcome.diagnostics_total = static_cast<int>(seen.size());
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> others;
  bool after_error = false;
  for (Diagnostic& diagnostic : seen) {
    after_error = diagnostic.severity == "note" ? after_error : is_error(diagnostic);
    (after_error ? errors : others).push_back(std::move(diagnostic));
  }
  errors.insert(errors.end(), std::make_move_iterator(others.begin()),
                std::make_move_iterator(others.end()));
  errors.resize(std::min(errors.size(), kMaxDiagnostics));
  outcome.diagnostics = std::move(errors);
}

}  // namespace ws
