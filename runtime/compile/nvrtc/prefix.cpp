#include "runtime/compile/nvrtc/prefix.h"

#include <algorithm>

#include "runtime/compile/nvrtc/library.h"

namespace ws::nvrtc {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kInline = " \t";

/// The rest after spaces and comments; nothing after a comment that does not end.
std::string_view skip_comments(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
    const bool line = text.starts_with("//");
    if (!line && !text.starts_with("/*")) {
      return text;
    }
    const std::string_view end = line ? "\n" : "*/";
    const std::size_t at = text.find(end, 2);
    // A spliced comment line goes on in the next one.
    if (at == std::string_view::npos || (line && text.substr(0, at).ends_with('\\'))) {
      return {};
    }
    text.remove_prefix(at + end.size());
  }
}

/// Takes `word` and the spaces after it from the front.
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) {
    return false;
  }
  text.remove_prefix(word.size());
  text.remove_prefix(std::min(text.find_first_not_of(kInline), text.size()));
  return true;
}

bool ends_line(std::string_view text) {
  return text.empty() || text.front() == '\n' || text.starts_with("\r\n") || text.starts_with("//");
}

/// The name of the header if a directive that includes one stands in front.
bool take_include(std::string_view& text, std::string_view& name) {
  if (!take(text, "include") || !text.starts_with('<')) {
    return false;
  }
  const std::size_t end = text.find_first_of(">\n");
  if (end == std::string_view::npos || text[end] != '>') {
    return false;
  }
  name = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  text.remove_prefix(std::min(text.find_first_not_of(kInline), text.size()));
  const bool own = name == kMacros || name == kSource;
  return !name.empty() && !own && ends_line(text);
}

}  // namespace

std::string leading_includes(std::string_view source) {
  std::string lines;
  for (;;) {
    source = skip_comments(source);
    if (!take(source, "#")) {
      return lines;
    }
    std::string_view name;
    if (take(source, "pragma")) {
      if (!take(source, "once") || !ends_line(source)) {
        return lines;
      }
    } else if (take_include(source, name)) {
      const std::string header = "<" + std::string(name) + ">";
      lines += "#if __has_include(" + header + ")\n#include " + header + "\n#endif\n";
    } else {
      return lines;
    }
  }
}

}  // namespace ws::nvrtc
