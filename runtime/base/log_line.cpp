#include "runtime/base/log_line.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/base/hidden_characters.h"
#include "runtime/base/json_string.h"
#include "runtime/base/text.h"
#include "runtime/base/timestamp.h"

namespace ws {
namespace {

using namespace std::string_view_literals;
using Json = nlohmann::json;
using Fields = std::vector<std::pair<std::string_view, std::string>>;

constexpr std::string_view kCut = "...";
constexpr std::size_t kUsualFields = 12;
constexpr std::size_t kMaxValue = 200;

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

/// Whether a value needs no quotes.
bool is_bare(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f && c != '"' && c != '=' && c != '\\';
  });
}

void append_quoted(std::string& line, std::string_view value) {
  if (value.size() <= kMaxValue) {
    append_shown_json_string(line, value);
    return;
  }
  std::string cut(value.substr(0, utf8_cut(value, kMaxValue)));
  append_shown_json_string(line, cut.append(kCut));
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
  if (value.size() > 1 && value.ends_with('"') && value.find('\\') == std::string_view::npos) {
    return std::string(value.substr(1, value.size() - 2));
  }
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
  fields.reserve(kUsualFields);
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

void append_member(std::string& line, std::string_view key, std::string_view value) {
  line.append(",\""sv).append(key).append("\":"sv);
  append_shown_json_string(line, value);
}

/// The members of the line itself, before and after the others.
void begin_object(std::string& line, const LogEvent& event) {
  line += "{\"time\":\""sv;
  append_timestamp(line, event.unix_ms);
  line.append("\",\"level\":\""sv).append(level_word(event.level)).push_back('"');
  append_member(line, "module", event.module);
}

void end_object(std::string& line, const LogEvent& event) {
  if (!event.request.empty()) {
    append_member(line, "request_id", event.request);
  }
  line += "}\n"sv;
}

/// Whether the field at `at` is the first of its name, and its name is none of the line's own.
bool has_own_name(const LogEvent& event, const Fields& fields, std::size_t at) {
  constexpr std::array<std::string_view, 3> kOwn = {"time", "level", "module"};
  const std::string_view name = fields[at].first;
  const auto before = fields.begin() + static_cast<std::ptrdiff_t>(at);
  return std::find(kOwn.begin(), kOwn.end(), name) == kOwn.end() &&
         (event.request.empty() || name != "request_id") &&
         std::none_of(fields.begin(), before, [&](const auto& one) { return one.first == name; });
}

void append_object(std::string& line, const LogEvent& event, const Fields& fields) {
  begin_object(line, event);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (has_own_name(event, fields, i)) {
      append_member(line, fields[i].first, fields[i].second);
    }
  }
  end_object(line, event);
}

void append_without_controls(std::string& line, std::string_view text) {
  while (!text.empty()) {
    const std::size_t hidden = hidden_bytes(text);
    const bool control = hidden > 0 || static_cast<unsigned char>(text.front()) < 0x20;
    line.push_back(control ? ' ' : text.front());
    text.remove_prefix(std::max(hidden, std::size_t{1}));
  }
}

/// Cuts the longest values until the line is short enough.
void append_short_object(std::string& lines, const LogEvent& event, Fields fields) {
  const std::size_t begin = lines.size();
  append_object(lines, event, fields);
  while (lines.size() - begin > kMaxLogLine) {
    const auto longest = std::max_element(
        fields.begin(), fields.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (longest == fields.end() || longest->second.size() <= kCut.size()) {
      fields.clear();  // Many short ones: nothing that we write.
    } else {
      longest->second.resize(utf8_cut(longest->second, longest->second.size() / 2));
      longest->second.append(kCut);
    }
    lines.resize(begin);
    append_object(lines, event, fields);
  }
}

/// The members of an event's fields, where all of them are plain and short: room for them is made
/// once. False: they are not, and nothing was appended.
bool append_plain_members(std::string& line, std::span<const LogField> fields) {
  constexpr std::string_view kBefore = ",\"";
  constexpr std::string_view kBetween = "\":\"";
  std::size_t room = 0;
  for (const LogField& field : fields) {
    if (field.value.size() > kMaxValue || !is_plain_json(field.value)) {
      return false;
    }
    room += kBefore.size() + field.key.size() + kBetween.size() + field.value.size() + 1;
  }
  const std::size_t begin = line.size();
  line.resize(begin + room);
  char* at = line.data() + begin;
  for (const LogField& field : fields) {
    for (const std::string_view part : {kBefore, field.key, kBetween, field.value}) {
      at = std::copy(part.begin(), part.end(), at);
    }
    *at++ = '"';
  }
  return true;
}

}  // namespace

void append_log_value(std::string& line, std::string_view value) {
  if (value.size() <= kMaxValue && is_bare(value)) {
    line += value;
  } else {
    append_quoted(line, value);
  }
}

void append_text_line(std::string& lines, const LogEvent& event) {
  constexpr std::string_view kRequest = " request_id=";
  const std::size_t begin = lines.size();
  const std::size_t tail = 1 + (event.request.empty() ? 0 : kRequest.size() + event.request.size());
  append_timestamp(lines, event.unix_ms);
  lines.append(" "sv).append(level_word(event.level)).append(" "sv).append(event.module);
  lines.push_back(':');
  for (const LogField& field : event.fields) {
    lines.append(" "sv).append(field.key).append("="sv);
    append_log_value(lines, field.value);
  }
  if (event.fields.empty()) {
    lines.push_back(' ');
    append_without_controls(lines, event.text);
  }
  if (lines.size() - begin + tail > kMaxLogLine) {
    lines.resize(begin + kMaxLogLine - tail - kCut.size());
    lines.append(kCut);
  }
  if (!event.request.empty()) {
    lines.append(kRequest).append(event.request);
  }
  lines.push_back('\n');
}

void append_json_line(std::string& lines, const LogEvent& event) {
  if (event.fields.empty()) {
    std::string text;
    append_without_controls(text, event.text.substr(0, kMaxLogLine));
    append_short_object(lines, event, fields_of(text));
    return;
  }
  const std::size_t begin = lines.size();
  begin_object(lines, event);
  if (!append_plain_members(lines, event.fields)) {
    for (const LogField& field : event.fields) {
      lines.append(",\""sv).append(field.key).append("\":"sv);
      append_quoted(lines, field.value);
    }
  }
  end_object(lines, event);
  if (lines.size() - begin > kMaxLogLine) {
    Fields fields;
    for (const LogField& field : event.fields) {
      fields.emplace_back(field.key, field.value);
    }
    lines.resize(begin);
    append_short_object(lines, event, std::move(fields));
  }
}

}  // namespace ws
