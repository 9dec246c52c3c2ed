// The demo's table, one row at a time, as the steps end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ws::server {

/// The text of the second half of a row, and the lines below it.
struct DemoRow {
  std::string verdict;
  std::string ratio;  ///< "1.62x (1.58 to 1.66)", or empty.
  double ms = 0;
  std::vector<std::string> details;
};

/// Writes to stdout, or nowhere. On a terminal the running step's progress is shown in its row; no
/// escape sequence is written to anything else. One thread.
class DemoScreen {
 public:
  enum class Kind : std::uint8_t { kNothing, kPlain, kTerminal };

  /// kTerminal or kPlain, by what stdout is.
  static Kind kind_of_stdout();

  explicit DemoScreen(Kind kind);

  /// A line of text.
  void line(std::string_view text) const;
  /// The headings, which tell the widths.
  void headings() const;
  /// Writes the first half of a row, what runs now, and returns it for progress() and end().
  [[nodiscard]] std::string begin(std::size_t number, std::string_view title,
                                  std::string_view tool) const;
  /// Shows the progress that the running step reports.
  void progress(const std::string& half, const std::string& message) const;
  /// The rest of the row, and its details below.
  void end(const std::string& half, const DemoRow& row) const;

 private:
  void write(std::string_view text) const;

  const Kind kind_;
};

}  // namespace ws::server
