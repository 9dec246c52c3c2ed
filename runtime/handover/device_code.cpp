#include "runtime/handover/device_code.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "runtime/base/text.h"

namespace ws {
namespace {

constexpr std::size_t kMaxText = std::size_t{8} << 20U;

/// The rest of a preprocessor's line behind `word`; nothing where it is another line.
std::optional<std::string_view> directive(std::string_view line, std::string_view word) {
  line = trimmed(line);
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  line = trimmed(line.substr(1));
  const bool found =
      line.starts_with(word) && (line.size() == word.size() || !is_word(line[word.size()]));
  return found ? std::optional(trimmed(line.substr(word.size()))) : std::nullopt;
}

/// The name between the marks of an include; empty: none.
std::string_view included_name(std::string_view line) {
  const std::optional<std::string_view> rest = directive(line, "include");
  if (!rest || rest->size() < 2 || (rest->front() != '"' && rest->front() != '<')) {
    return {};
  }
  const std::size_t end = rest->find(rest->front() == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::string_view() : rest->substr(1, end - 1);
}

/// Puts the texts of headers in the place of the lines that include them.
class Joined {
 public:
  explicit Joined(const std::map<std::string, std::string>& headers)
      : headers_(headers) {}

  Status add(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      WS_CHECK(add_line(text.substr(0, end)));
      text.remove_prefix(end);
    }
    if (!text_.ends_with('\n')) {
      text_ += '\n';
    }
    return {};
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  Status add_line(std::string_view line) {
    const auto header = headers_.find(std::string(included_name(trimmed(line, " \t\r\n"))));
    if (header == headers_.end()) {
      const bool once = directive(trimmed(line, " \t\r\n"), "pragma").value_or("") == "once";
      text_ += once ? std::string_view("\n") : line;
    } else {
      WS_CHECK(add_header(header->first, header->second));
    }
    if (text_.size() > kMaxText) {
      return fail(ErrorCode::kUnsupported, "with its headers the source is larger than 8 MiB");
    }
    return {};
  }

  /// A header that guards itself by a pragma gets a macro instead, as files are gone.
  Status add_header(const std::string& name, const std::string& text) {
    if (std::ranges::find(open_, name) != open_.end()) {
      return {};  // It includes itself: its guard is defined by now.
    }
    const bool once = text.find("#pragma once") != std::string::npos;
    const auto number = std::distance(headers_.begin(), headers_.find(name));
    const std::string guard = "HANDOVER_HEADER_" + std::to_string(number);
    text_ += once ? "#ifndef " + guard + "\n#define " + guard + "\n" : std::string();
    open_.push_back(name);
    WS_CHECK(add(text));
    open_.pop_back();
    text_ += once ? "#endif\n" : "";
    return {};
  }

  const std::map<std::string, std::string>& headers_;
  std::vector<std::string> open_;
  std::string text_;
};

/// "#define NAME VALUE" of each option -DNAME=VALUE.
std::string defines_of(const std::vector<std::string>& options) {
  std::string lines;
  for (const std::string& option : options) {
    if (option.starts_with("-D")) {
      const std::size_t equals = option.find('=');
      const std::string value = equals == std::string::npos ? "1" : option.substr(equals + 1);
      lines += "#define " + option.substr(2, equals - 2) + " " + value + "\n";
    }
  }
  return lines;
}

std::string undefines_of(std::string_view text) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (const auto rest = directive(text.substr(at, end - at), "define")) {
      names.emplace(rest->substr(
          0, static_cast<std::size_t>(std::ranges::find_if_not(*rest, is_word) - rest->begin())));
    }
    at = end + 1;
  }
  std::string lines;
  for (const std::string& name : names) {
    lines += name.empty() ? "" : "#undef " + name + "\n";
  }
  return lines;
}

Result<std::string> whole_text(const RenderedSource& source) {
  Joined joined(source.headers);
  WS_CHECK(joined.add(defines_of(source.options)));
  WS_CHECK(joined.add(source.macros));
  WS_CHECK(joined.add(source.source));
  return joined.take();
}

/// The includes of the toolkit's headers before a namespace, all other lines in it.
std::string in_namespace(std::string_view text, const std::string& space) {
  std::string includes;
  std::string rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    (included_name(trimmed(line, " \t\r\n")).empty() ? rest : includes) += line;
    text.remove_prefix(end);
  }
  return includes + "namespace " + space + " {\n" + rest + "}  // namespace " + space + "\n";
}

}  // namespace

Result<DeviceCode> device_code(const RenderedSource& source, std::string_view space,
                               const std::string& tail) {
  WS_TRY(std::string text, whole_text(source));
  DeviceCode code;
  code.cleanup = undefines_of(text);
  text += tail;
  code.text = space.empty() ? std::move(text) : in_namespace(text, std::string(space));
  return code;
}

}  // namespace ws
