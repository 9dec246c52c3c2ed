#include "runtime/compile/glslang/log_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "runtime/compile/diagnostics.h"

namespace ws::glslang_compiler {
namespace {

struct Severity {
  std::string_view start;
  const char* word;
};

constexpr std::array kSeverities = {Severity{"ERROR: ", "error"}, Severity{"WARNING: ", "warning"}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  return text;
}

/// A number at the front of the text, which goes on behind it.
std::optional<int> take_number(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Whether the line counts errors or says that they end everything.
bool says_nothing(std::string_view line) {
  return line.ends_with("No code generated.") || line.ends_with("compilation terminated") ||
         line.find("HLSL parsing failed") != line.npos;
}

/// "`x`: undeclared identifier", from "'x' : undeclared identifier". The preprocessor takes the
/// words of #error apart.
std::string message_of(std::string_view text) {
  const std::size_t colon = text.find(" : ");
  std::string message(text);
  if (text.starts_with('\'') && colon != text.npos && colon >= 2) {
    const std::string_view what = text.substr(1, colon - 2);
    const std::string_view rest = trimmed(text.substr(colon + 3));
    message = (what.empty() ? "" : "`" + std::string(what) + "`: ") + std::string(rest);
  }
  constexpr std::string_view kNotSent = "Could not process include directive for header name: ";
  if (const std::size_t at = message.find(kNotSent); at != std::string::npos) {
    return "`#include`: the header `" + message.substr(at + kNotSent.size()) +
           "` was not sent along, in `headers`";
  }
  // The words behind an error of our own.
  constexpr std::string_view kOfHeader = " for header name: ";
  message.resize(std::min(message.find(kOfHeader), message.size()));
  constexpr std::string_view kTorn = "ws_invalid :";
  if (const std::size_t at = message.find(kTorn); at != std::string::npos) {
    message.replace(at, kTorn.size(), "ws_invalid:");
  }
  return message;
}

/// "Recursion detected", from "Linking compute stage: Recursion detected:".
std::string_view without_stage(std::string_view text) {
  constexpr std::string_view kStage = "Linking compute stage: ";
  if (text.starts_with(kStage)) {
    text.remove_prefix(kStage.size());
    text.remove_suffix(text.ends_with(':') ? 1 : 0);
  }
  return text;
}

/// Takes "source:3: " from the front.
void take_place(std::string_view& text, Diagnostic& diagnostic) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) {
    return;
  }
  std::string_view rest = text.substr(colon + 1);
  const std::optional<int> line = take_number(rest);
  if (line && rest.starts_with(": ")) {
    diagnostic.region = std::string(text.substr(0, colon));
    diagnostic.line = *line;
    text = rest.substr(2);
  }
}

std::optional<Diagnostic> read_line(std::string_view line) {
  for (const Severity& severity : kSeverities) {
    if (line.starts_with(severity.start)) {
      std::string_view text = line.substr(severity.start.size());
      Diagnostic diagnostic;
      diagnostic.severity = severity.word;
      take_place(text, diagnostic);
      diagnostic.message = message_of(without_stage(trimmed(text)));
      return diagnostic;
    }
  }
  return std::nullopt;
}

/// The column of "source(3): error at column 24, HLSL parsing failed."; 0: the line is another one.
int column_in(std::string_view line) {
  constexpr std::string_view kColumn = "error at column ";
  const std::size_t at = line.find(kColumn);
  std::string_view rest = at == line.npos ? std::string_view() : line.substr(at + kColumn.size());
  return take_number(rest).value_or(0);
}

}  // namespace

std::vector<Diagnostic> parse_log(std::string_view log, const CompileRequest& request) {
  std::vector<Diagnostic> found;
  for (const std::string_view whole : line_views(log)) {
    const std::string_view line = trimmed(whole);
    if (const int column = column_in(line); column != 0 && !found.empty()) {
      found.back().column = column;
    }
    std::optional<Diagnostic> diagnostic = says_nothing(line) ? std::nullopt : read_line(line);
    if (diagnostic) {
      found.push_back(*std::move(diagnostic));
    }
  }
  for (Diagnostic& diagnostic : found) {
    const std::string* const text = region_text(request, diagnostic.region);
    if (text == nullptr) {  // A place that the client does not know.
      diagnostic.region.clear();
      diagnostic.line = 0;
      diagnostic.column = 0;
    } else {
      const std::string_view line = line_at(*text, diagnostic.line);
      const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
      diagnostic.snippet =
          snippet_of(line, diagnostic.column > 0 ? diagnostic.column : static_cast<int>(first) + 1);
    }
  }
  return found;
}

}  // namespace ws::glslang_compiler
