#include "runtime/base/log_line.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kCut = "...";

std::string_view level_word(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
    case LogLevel::kOff:
      break;
  }
  return "error";
}

bool is_key(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// The length of the quoted value that `text` begins with, quotes included.
std::size_t quoted_size(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? std::size_t{2} : std::size_t{1};
  }
  return std::min(at + 1, text.size());
}

/// Decodes a quoted value; one that is not quoted as in JSON stays as it is.
std::string unquoted(std::string_view value) {
  const Json json = Json::parse(value, nullptr, false);
  if (json.is_string()) {
    return json.get<std::string>();
  }
  value.remove_prefix(1);
  return std::string(value.substr(0, value.ends_with('"') ? value.size() - 1 : value.size()));
}

/// Reads key=value pairs; the other words are the message.
Fields fields_of(std::string_view text) {
  Fields fields;
  std::string message;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::size_t equals = text.substr(0, blank).find('=');
    std::size_t end = blank;
    if (equals != std::string_view::npos && is_key(text.substr(0, equals))) {
      const std::string_view rest = text.substr(equals + 1);
      const bool quoted = rest.starts_with('"');
      end = quoted ? equals + 1 + quoted_size(rest) : blank;
      const std::string_view value = text.substr(equals + 1, end - equals - 1);
      fields.emplace_back(text.substr(0, equals), quoted ? unquoted(value) : std::string(value));
    } else if (blank > 0) {
      message.append(message.empty() ? "" : " ").append(text.substr(0, blank));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!message.empty()) {
    fields.emplace_back("message", std::move(message));
  }
  return fields;
}

std::string dumped(const LogEvent& event, const Fields& fields) {
  Json line = {{"time", event.time}, {"level", level_word(event.level)}, {"module", event.module}};
  for (const auto& [key, value] : fields) {
    if (!line.contains(key)) {  // A field cannot stand for the line's own.
      line[key] = value;
    }
  }
  if (!event.request.empty()) {
    line["request_id"] = event.request;
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string without_controls(std::string_view text) {
  std::string clean(text);
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return clean;
}

}  // namespace

std::string text_line(const LogEvent& event) {
  std::string tail;
  if (!event.request.empty()) {
    tail.append(" request_id=").append(event.request);
  }
  tail.push_back('\n');
  std::string line(event.time);
  line.append(" ").append(level_word(event.level)).append(" ").append(event.module).append(": ");
  line.append(without_controls(event.text));
  if (line.size() + tail.size() > kMaxLogLine) {
    line.resize(kMaxLogLine - tail.size() - kCut.size());
    line.append(kCut);
  }
  return line.append(tail);
}

std::string json_line(const LogEvent& event) {
  Fields fields = fields_of(without_controls(event.text.substr(0, kMaxLogLine)));
  std::string line = dumped(event, fields);
  while (line.size() > kMaxLogLine) {
    const auto longest = std::max_element(
        fields.begin(), fields.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (longest == fields.end() || longest->second.size() <= kCut.size()) {
      fields.clear();  // Many short ones: nothing that we write.
    } else {
      longest->second.resize(utf8_cut(longest->second, longest->second.size() / 2));
      longest->second.append(kCut);
    }
    line = dumped(event, fields);
  }
  return line;
}

}  // namespace ws
