#include "server/cli/settings.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <sys/stat.h>

// NOLINTNEXTLINE(readability-identifier-naming): the name that the library looks for
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "runtime/base/files.h"
#include "runtime/base/nearest.h"
#include "server/access/bearer_token.h"
#include "server/protocol/protocol.h"

namespace ws::server {
namespace {

const char* words_of(SettingKind kind) {
  switch (kind) {
    case SettingKind::kSwitch:
      return "true or false";
    case SettingKind::kInteger:
      return "an integer";
    case SettingKind::kNumber:
      return "a number";
    case SettingKind::kSize:
      return "a number of bytes, or a string such as \"512MB\"";
    case SettingKind::kPath:
      return "a string with a whole path";
    case SettingKind::kText:
      return "a string";
  }
  return "";
}

const char* words_of(toml::node_type type) {
  switch (type) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or a time";
  }
}

/// The value as a flag takes it; nothing where it has another kind.
std::optional<std::string> flag_text(const toml::node& node, SettingKind kind) {
  const bool number =
      kind == SettingKind::kInteger || kind == SettingKind::kNumber || kind == SettingKind::kSize;
  if (const auto* text = node.as_string();
      text != nullptr && (kind == SettingKind::kText || kind == SettingKind::kSize ||
                          (kind == SettingKind::kPath && text->get().starts_with('/')))) {
    return text->get();
  }
  if (const auto* value = node.as_boolean(); value != nullptr && kind == SettingKind::kSwitch) {
    return value->get() ? "true" : "false";
  }
  if (const auto* value = node.as_integer(); value != nullptr && number) {
    return std::to_string(value->get());
  }
  if (const auto* value = node.as_floating_point();
      value != nullptr && kind == SettingKind::kNumber) {
    return std::to_string(value->get());
  }
  return std::nullopt;
}

class SettingsReader {
 public:
  SettingsReader(const std::filesystem::path& file, const std::vector<Setting>& settings)
      : file_(file),
        settings_(settings) {}

  Result<std::vector<FileValue>> read() {
    WS_TRY(const std::string text, read_file(file_));
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
      return bad(parsed.error().source().begin, std::string(parsed.error().description()), "");
    }
    for (const auto& [key, node] : parsed.table()) {
      WS_CHECK(add(std::string(key.str()), key.source().begin, node));
    }
    std::sort(values_.begin(), values_.end(),
              [](const FileValue& a, const FileValue& b) { return a.line < b.line; });
    return std::move(values_);
  }

 private:
  [[nodiscard]] std::string place(const toml::source_position& at) const {
    return file_.string() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }

  [[nodiscard]] tl::unexpected<Error> bad(const toml::source_position& at, const std::string& why,
                                          std::string hint) const {
    return fail(ErrorCode::kInvalidArgument, place(at) + ": " + why, std::move(hint));
  }

  Status add(const std::string& key, const toml::source_position& at, const toml::node& node) {
    const auto setting = std::find_if(settings_.begin(), settings_.end(),
                                      [&](const Setting& one) { return one.key == key; });
    if (setting == settings_.end()) {
      std::vector<std::string> known;
      known.reserve(settings_.size());
      for (const Setting& one : settings_) {
        known.push_back(one.key);
      }
      return bad(at, "no setting `" + key + "`", suggest(key, known));
    }
    const std::optional<std::string> text = flag_text(node, setting->kind);
    if (!text) {
      return bad(
          node.source().begin,
          "`" + key + "` must be " + words_of(setting->kind) + ", not " +
              (setting->kind == SettingKind::kPath && node.is_string() ? "a relative one"
                                                                       : words_of(node.type())),
          "");
    }
    if (setting->secret) {
      WS_CHECK(check_private(at));
      WS_CHECK(BearerToken::parse(*text, place(node.source().begin)));
    }
    values_.push_back({key, *text, at.line, at.column});
    return {};
  }

  [[nodiscard]] Status check_private(const toml::source_position& at) const {
    constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
    struct stat status = {};
    if (::stat(file_.c_str(), &status) == 0 && (status.st_mode & kOthers) == 0) {
      return {};
    }
    return bad(at, "users other than its owner may use this file, which has a token",
               "chmod 600 " + file_.string() + ", or name the token's own file by `token-file`");
  }

  const std::filesystem::path& file_;
  const std::vector<Setting>& settings_;
  std::vector<FileValue> values_;
};

}  // namespace

Result<std::vector<FileValue>> read_settings(const std::filesystem::path& file,
                                             const std::vector<Setting>& settings) {
  return SettingsReader(file, settings).read();
}

std::vector<FileValue> values_that_count(const std::vector<FileValue>& values,
                                         const std::vector<Setting>& settings,
                                         const std::set<std::string>& given) {
  std::set<std::string> groups;
  std::set<std::string> of_group;
  for (const Setting& setting : settings) {
    if (!setting.group.empty() && given.contains(setting.key)) {
      groups.insert(setting.group);
    }
  }
  for (const Setting& setting : settings) {
    if (groups.contains(setting.group)) {
      of_group.insert(setting.key);
    }
  }
  std::vector<FileValue> counting;
  std::copy_if(values.begin(), values.end(), std::back_inserter(counting),
               [&](const FileValue& value) {
                 return !given.contains(value.key) && !of_group.contains(value.key);
               });
  return counting;
}

std::string toml_string(const std::string& text) {
  std::string quoted = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  // A string of JSON is one of TOML, but for this character.
  for (std::size_t at = quoted.find('\x7f'); at != std::string::npos; at = quoted.find('\x7f')) {
    quoted.replace(at, 1, "\\u007f");
  }
  return quoted;
}

}  // namespace ws::server
