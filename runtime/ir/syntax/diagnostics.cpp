#include "runtime/ir/syntax/diagnostics.h"

#include <algorithm>
#include <tuple>

namespace ws::ir {
namespace {

constexpr std::size_t kMaxShownLine = 120;

bool comes_first(const Diagnostic& a, const Diagnostic& b) {
  return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
}

// Control characters and bytes beyond ASCII would move the caret: they are shown as `?`.
std::string shown(std::string_view line) {
  std::string text(line.substr(0, kMaxShownLine));
  for (char& c : text) {
    c = c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

std::string render_one(const Diagnostic& row, std::string_view text) {
  std::string result = to_text(row.place) + ": " + row.message + "\n";
  const std::string line = shown(line_of(text, row.place.line));
  if (row.place.column > 0 && row.place.column <= line.size() + 1) {
    result += "  " + line + "\n  " + std::string(row.place.column - 1, ' ') + "^\n";
  }
  if (!row.hint.empty()) {
    result += "  hint: " + row.hint + "\n";
  }
  return result;
}

}  // namespace

void Diagnostics::add(SourcePlace place, std::string message, std::string hint) {
  const bool known = std::any_of(rows_.begin(), rows_.end(),
                                 [&](const Diagnostic& row) { return row.place == place; });
  if (!known && !full()) {
    rows_.push_back({place, std::move(message), std::move(hint)});
  }
}

std::string Diagnostics::render(std::string_view text) const {
  std::vector<Diagnostic> sorted = rows_;
  std::stable_sort(sorted.begin(), sorted.end(), comes_first);
  std::string result;
  for (const Diagnostic& row : sorted) {
    result += render_one(row, text);
  }
  if (full()) {
    result += "more errors may follow: these are the first " + std::to_string(rows_.size()) + "\n";
  }
  return result;
}

Error Diagnostics::to_error(std::string_view text) const {
  const auto first = std::min_element(rows_.begin(), rows_.end(), comes_first);
  std::string message = "the program has " + std::to_string(rows_.size()) +
                        (rows_.size() == 1 ? " error" : " errors");
  if (first != rows_.end()) {
    message += ", the first at " + to_text(first->place) + ": " + first->message;
  }
  return Error{ErrorCode::kInvalidArgument, std::move(message), render(text), {}};
}

std::string_view line_of(std::string_view text, std::uint32_t line) {
  for (std::uint32_t at = 1; at < line; ++at) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') {
    text.remove_suffix(1);
  }
  return text;
}

std::string to_text(SourcePlace place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

}  // namespace ws::ir
