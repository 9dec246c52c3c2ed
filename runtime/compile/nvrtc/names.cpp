#include "runtime/compile/nvrtc/names.h"

#include <charconv>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace ws::nvrtc {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

/// Where the parenthesis that `text` ends with was opened; npos when it ends otherwise.
std::size_t opening_of(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (depth == 0) {
      return text[i] == '(' ? i : std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

/// Splits at the commas outside of all brackets.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    depth += c == '(' || c == '<' || c == '[' || c == '{' ? 1 : 0;
    depth -= c == ')' || c == '>' || c == ']' || c == '}' ? 1 : 0;
    if (c == ',' && depth == 0) {
      const std::string_view part = list.substr(begin, i - begin);
      parts.emplace_back(part.substr(part.starts_with(' ') ? 1 : 0));
      begin = i + 1;
    }
  }
  return parts;
}

/// True for what signature_name() adds to a cubin.
bool is_signature(std::string_view symbol) {
  return symbol.starts_with("_Z19warpsmith_signature");
}

}  // namespace

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  return status == 0 && text ? std::string(text.get()) : symbol;
}

std::optional<std::vector<std::string>> parameter_types(const std::string& symbol) {
  const std::string name = demangled(symbol);
  std::string_view text = name;
  if (is_signature(symbol) && text.ends_with('>')) {
    text.remove_suffix(1);
  }
  return name == symbol ? std::nullopt : types_in(text);
}

std::optional<std::vector<std::string>> types_in(std::string_view signature) {
  const std::size_t open =
      signature.ends_with(')') ? opening_of(signature) : std::string_view::npos;
  if (open == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view list = signature.substr(open + 1, signature.size() - open - 2);
  return list.empty() ? std::vector<std::string>() : split(list);
}

std::string signature_name(const std::string& entry) {
  return "&warpsmith_signature<decltype(" + entry + ")>";
}

std::string readable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t close = text[i] == '\'' ? text.find('\'', i + 1) : std::string_view::npos;
    if (close != std::string_view::npos) {
      result += "`" + demangled(std::string(text.substr(i + 1, close - i - 1))) + "`";
      i = close + 1;
      continue;
    }
    std::uint64_t number = 0;
    if (text.substr(i).starts_with("0x")) {
      constexpr int hexadecimal = 16;
      const char* begin = text.data() + i + 2;
      const auto [end, error] =
          std::from_chars(begin, text.data() + text.size(), number, hexadecimal);
      if (error == std::errc()) {
        result += std::to_string(number);
        i = static_cast<std::size_t>(end - text.data());
        continue;
      }
    }
    result += text[i++];
  }
  return result;
}

}  // namespace ws::nvrtc
