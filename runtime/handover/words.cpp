#include "runtime/handover/words.h"

#include <array>
#include <charconv>
#include <cstdint>

#include "runtime/base/text.h"
#include "runtime/kernel/ids.h"

namespace ws {
namespace {

constexpr std::size_t kMaxNumber = 40;
constexpr unsigned kFirstPrintable = 0x20;
constexpr unsigned kDelete = 0x7f;

bool is_control(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < kFirstPrintable || code == kDelete;
}

std::string octal(char c) {
  const auto code = static_cast<unsigned char>(c);
  std::string text = "\\";
  for (const unsigned shift : {6U, 3U, 0U}) {
    text += static_cast<char>('0' + ((code >> shift) & 7U));
  }
  return text;
}

/// C++ and Python have the same octal escapes.
std::string literal(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (is_control(c)) {
      result += octal(c);
    } else {
      result += c;
    }
  }
  return result + "\"";
}

}  // namespace

std::string comment_line(std::string_view mark, std::string_view text) {
  std::string line(mark);
  for (const char c : text) {
    line += is_control(c) ? ' ' : c == '\\' ? '/' : c;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string cpp_string(std::string_view text) {
  return literal(text);
}

std::string python_string(std::string_view text) {
  return literal(text);
}

std::string python_text(std::string_view text) {
  std::string result = "(\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    result += "    " + literal(text.substr(0, end)) + "\n";
    text.remove_prefix(end);
  }
  return result == "(\n" ? "\"\"" : result + ")";
}

std::string number_text(double value) {
  std::array<char, kMaxNumber> digits{};
  const auto [end, code] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  std::string text(digits.data(), end);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string module_name(std::string_view name) {
  const std::string word = slug(name, "kernel");
  return is_digit(word.front()) || word.front() == '_' ? "kernel_" + word : word;
}

}  // namespace ws
