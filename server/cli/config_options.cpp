#include "server/cli/config_options.h"

#include <string>

#include <CLI/CLI.hpp>

namespace ws::server {
namespace {

std::string complaint_about_url(const std::string& text) {
  const bool good = text.starts_with("http://") || text.starts_with("https://");
  return good ? std::string() : "not a URL such as http://127.0.0.1:7411/mcp: " + text;
}

}  // namespace

void add_config(CLI::App& app, ConfigOptions& options) {
  CLI::App* const config =
      app.add_subcommand("config", "Print and write the settings that add this server to a client");
  std::string words;
  for (const std::string& word : client_words()) {
    words += (words.empty() ? "" : ", ") + word;
  }
  config->add_option("CLIENT", options.client, words)
      ->required()
      ->check(CLI::IsMember(client_words()));
  CLI::Option* const http =
      config->add_option("--http", options.url, "URL of a running server; default: stdio")
          ->check(complaint_about_url);
  config->add_flag("--token", options.token, "Show it the token that WARPSMITH_TOKEN holds")
      ->needs(http);
  config->add_flag("--yes", options.write, "Write without asking; keeps all else in the file");
}

}  // namespace ws::server
