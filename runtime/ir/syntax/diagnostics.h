// The errors in a program: several a run, each with its place, a caret and a hint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"

namespace ws::ir {

/// A place in a program's text; both numbers count from 1, columns in bytes. Line 0: nowhere.
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

struct Diagnostic {
  SourcePlace place;
  std::string message;  ///< One sentence that says what is wrong, lower case, no full stop.
  std::string hint;     ///< The text to write instead; empty if there is none.
};

/// Collects errors, the first kMaxDiagnostics of them. One thread.
class Diagnostics {
 public:
  static constexpr std::size_t kMaxDiagnostics = 20;

  /// A second error at the same place is dropped: it follows from the first.
  void add(SourcePlace place, std::string message, std::string hint = {});

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  [[nodiscard]] bool full() const { return rows_.size() == kMaxDiagnostics; }

  [[nodiscard]] const std::vector<Diagnostic>& rows() const { return rows_; }

  /// Every error as "LINE:COLUMN: message", the line with a caret below it, and "hint: ...",
  /// in the order of their places.
  [[nodiscard]] std::string render(std::string_view text) const;

  /// kInvalidArgument with the first error as its message and all of them, rendered, as its hint.
  [[nodiscard]] Error to_error(std::string_view text) const;

 private:
  std::vector<Diagnostic> rows_;
};

/// Line `line` of `text` (from 1) without its newline; empty beyond the end.
std::string_view line_of(std::string_view text, std::uint32_t line);

/// "LINE:COLUMN".
std::string to_text(SourcePlace place);

}  // namespace ws::ir
