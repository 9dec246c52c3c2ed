#include "runtime/kernel/form/lines.h"

#include <algorithm>

namespace ws {

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines, std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = from; i <= to; ++i) {
    text += (i == from ? "" : "\n") + lines[i - 1];
  }
  return text;
}

std::string text_of(const std::vector<std::string>& lines, bool ends_line) {
  return join_lines(lines, 1, lines.size()) + (ends_line && !lines.empty() ? "\n" : "");
}

std::string numbered_lines(const std::vector<std::string>& lines, std::size_t from,
                           std::size_t to) {
  constexpr std::size_t kMaxShown = 40;
  const std::size_t last = std::min(to, from + kMaxShown - 1);
  const std::size_t width = std::to_string(last).size();
  std::string text;
  for (std::size_t i = from; i <= last; ++i) {
    const std::string number = std::to_string(i);
    text += (i == from ? "  " : "\n  ") + std::string(width - number.size(), ' ') + number + " | " +
            lines[i - 1];
  }
  if (last < to) {
    text += "\n  and " + std::to_string(to - last) + " more";
  }
  return text;
}

}  // namespace ws
