#include "server/cli/settings_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "runtime/compile/store.h"

namespace ws::server {
namespace {

/// The variables of this program that have no flag: a flag would show a secret to other users, or
/// name what all sub-commands look for.
const Setting kVariables[] = {
    {.key = "token",
     .kind = SettingKind::kText,
     .variable = "WARPSMITH_TOKEN",
     .group = "token",
     .help = "The token of HTTP requests",
     .secret = true},
    {.key = "cuda",
     .kind = SettingKind::kPath,
     .variable = "WARPSMITH_CUDA",
     .help = "The folder of the CUDA toolkit that is tried first"},
    {.key = "hip",
     .kind = SettingKind::kPath,
     .variable = "WARPSMITH_HIP",
     .help = "The folder of ROCm that is tried first"},
    {.key = "python",
     .kind = SettingKind::kPath,
     .variable = "WARPSMITH_PYTHON",
     .help = "The interpreter that Triton and PyTorch are looked for in first"},
};

SettingKind setting_kind(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() == 0) {
    return SettingKind::kSwitch;
  }
  if (type.find("SIZE") != std::string::npos) {
    return SettingKind::kSize;
  }
  if (type.starts_with("INT") || type.starts_with("UINT")) {
    return SettingKind::kInteger;
  }
  return type.starts_with("FLOAT") ? SettingKind::kNumber : SettingKind::kText;
}

/// One of the transports, or the way to a token, stands in for the others.
std::string group_of(const std::string& key) {
  if (key == "stdio" || key == "http" || key == "socket") {
    return "transport";
  }
  return key == "token-file" ? "token" : "";
}

std::string fallback_of(const CLI::Option& option, SettingKind kind) {
  const std::string& key = option.get_single_name();
  if (kind == SettingKind::kSwitch) {
    return "false";
  }
  if (key == "cache-size") {
    return std::to_string(CompileStore::kDefaultBytes);
  }
  if (key == "log-level") {
    return toml_string("info");
  }
  const std::string text = option.get_default_str();
  return text.empty() ? "" : kind == SettingKind::kText ? toml_string(text) : text;
}

/// The flags of the command and of its groups, which are commands without a name.
void add_flags(const CLI::App& app, std::vector<Setting>& settings) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string key = option->get_single_name();
    if (option->get_lnames().empty() || key == "help" || key == "config" || key == "print-config") {
      continue;
    }
    const SettingKind kind = setting_kind(*option);
    settings.push_back({.key = key,
                        .kind = kind,
                        .group = group_of(key),
                        .help = option->get_description(),
                        .fallback = fallback_of(*option, kind)});
  }
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (group->get_name().empty()) {
      add_flags(*group, settings);
    }
  }
}

}  // namespace

std::vector<Setting> settings_of(const CLI::App& serve) {
  std::vector<Setting> settings(std::begin(kVariables), std::end(kVariables));
  add_flags(serve, settings);
  std::sort(settings.begin(), settings.end(),
            [](const Setting& a, const Setting& b) { return a.key < b.key; });
  return settings;
}

const CLI::Option* find_option(const CLI::App& command, const std::string& key) {
  const CLI::Option* found = command.get_option_no_throw("--" + key);
  for (const CLI::App* group : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (found == nullptr && group->get_name().empty()) {
      found = find_option(*group, key);
    }
  }
  return found;
}

}  // namespace ws::server
