#include "server/cli/serve_config_options.h"

#include <algorithm>
#include <system_error>

#include <CLI/CLI.hpp>

#include "server/cli/settings_options.h"

namespace ws::server {
namespace {

/// The file that `--config` names among the arguments; empty: none.
std::string named_config(const std::vector<std::string>& arguments) {
  const std::string flag = "--config";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == flag && i + 1 < arguments.size()) {
      return arguments[i + 1];
    }
    if (arguments[i].starts_with(flag + "=")) {
      return arguments[i].substr(flag.size() + 1);
    }
  }
  return {};
}

std::set<std::string> flags_in(const std::vector<std::string>& arguments,
                               const std::vector<Setting>& settings) {
  std::set<std::string> keys;
  for (const Setting& setting : settings) {
    const std::string flag = "--" + setting.key;
    if (setting.variable.empty() &&
        std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
          return argument == flag || argument.starts_with(flag + "=");
        })) {
      keys.insert(setting.key);
    }
  }
  return keys;
}

std::vector<std::string> as_flags(const std::vector<FileValue>& values,
                                  const std::vector<Setting>& settings) {
  std::vector<std::string> flags;
  for (const FileValue& value : values) {
    const auto setting = std::find_if(settings.begin(), settings.end(),
                                      [&](const Setting& one) { return one.key == value.key; });
    if (!setting->variable.empty()) {
      continue;
    }
    if (setting->kind != SettingKind::kSwitch) {
      flags.push_back("--" + value.key + "=" + value.text);
    } else if (value.text == "true") {
      flags.push_back("--" + value.key);
    }
  }
  return flags;
}

/// Null: the file does not have it.
const FileValue* value_in(const ServeConfig& config, const std::string& key) {
  const auto value = std::find_if(config.values.begin(), config.values.end(),
                                  [&](const FileValue& one) { return one.key == key; });
  return value == config.values.end() ? nullptr : &*value;
}

/// The place where a value comes from; empty: it is the default.
std::string origin(const Setting& setting, const ServeConfig& config) {
  if (config.given.contains(setting.key)) {
    return setting.variable.empty() ? "--" + setting.key : setting.variable;
  }
  const FileValue* const value = value_in(config, setting.key);
  return value == nullptr ? "" : config.file + ":" + std::to_string(value->line);
}

/// Empty: it is not set.
std::string value_of(const Setting& setting, const CLI::App& serve, const ServeConfig& config,
                     const Variables& variable) {
  if (!setting.variable.empty()) {
    const FileValue* const value = value_in(config, setting.key);
    return config.given.contains(setting.key) ? variable(setting.variable)
           : value != nullptr                 ? value->text
                                              : "";
  }
  const CLI::Option* const option = find_option(serve, setting.key);
  if (option->count() == 0) {
    return {};
  }
  return setting.kind == SettingKind::kSwitch ? "true" : option->results().back();
}

std::string toml_of(const Setting& setting, const std::string& text) {
  const bool plain =
      !text.empty() && text.find_first_not_of("0123456789.+-eE") == std::string::npos;
  const bool quoted = setting.kind == SettingKind::kText || setting.kind == SettingKind::kPath ||
                      (setting.kind == SettingKind::kSize && !plain);
  return quoted ? toml_string(text) : text;
}

}  // namespace

Result<ServeConfig> add_config_file(const CLI::App& serve, std::vector<std::string>& arguments,
                                    const std::filesystem::path& otherwise,
                                    const Variables& variable) {
  ServeConfig config;
  if (arguments.empty() || arguments.front() != serve.get_name()) {
    return config;
  }
  config.settings = settings_of(serve);
  config.given = flags_in(arguments, config.settings);
  for (const Setting& setting : config.settings) {
    if (!setting.variable.empty() && !variable(setting.variable).empty()) {
      config.given.insert(setting.key);
    }
  }
  config.file = named_config(arguments);
  std::error_code error;
  if (config.file.empty() && std::filesystem::exists(otherwise, error)) {
    config.file = otherwise.string();
  }
  if (config.file.empty()) {
    return config;
  }
  WS_TRY(const std::vector<FileValue> all, read_settings(config.file, config.settings));
  config.values = values_that_count(all, config.settings, config.given);
  const std::vector<std::string> flags = as_flags(config.values, config.settings);
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return config;
}

void use_values(const ServeConfig& config, ServeOptions& serve) {
  for (const FileValue& value : config.values) {
    if (value.key == "token") {
      serve.token.environment = value.text;
    } else if (value.key == "cuda") {
      serve.services.cuda_folders.insert(serve.services.cuda_folders.begin(), value.text);
    } else if (value.key == "hip") {
      serve.services.hip_folders.insert(serve.services.hip_folders.begin(), value.text);
    } else if (value.key == "python") {
      serve.services.interpreters.insert(serve.services.interpreters.begin(), value.text);
    }
  }
}

std::string place_of(const std::string& complaint, const ServeConfig& config) {
  for (const FileValue& value : config.values) {
    if (complaint.starts_with("--" + value.key + ":")) {
      return config.file + ":" + std::to_string(value.line) + ":" + std::to_string(value.column) +
             ": ";
    }
  }
  return {};
}

std::string settings_text(const CLI::App& serve, const ServeConfig& config,
                          const Variables& variable) {
  std::string text = "# The settings of `warpsmith serve`, and where each comes from.\n";
  for (const Setting& setting : config.settings) {
    const std::string from = origin(setting, config);
    const std::string value = value_of(setting, serve, config, variable);
    if (value.empty() && setting.fallback.empty()) {
      text += "# " + setting.key + " is not set: " + setting.help + "\n";
    } else if (setting.secret) {
      text += "# " + setting.key + " is set and not shown: " + from + "\n";
    } else {
      text += setting.key + " = " + (value.empty() ? setting.fallback : toml_of(setting, value)) +
              "  # " + (from.empty() ? "default" : from) + "\n";
    }
  }
  return text;
}

}  // namespace ws::server
