// Options of the sub-commands that run tools, or show what is installed.
#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "runtime/archive/store/archive_place.h"
#include "server/cli/command_line.h"
#include "server/cli/config_options.h"
#include "server/cli/reward_options.h"

namespace ws::server {
namespace {

const std::map<std::string, LogLevel> kLevelsByName = {{"debug", LogLevel::kDebug},
                                                       {"info", LogLevel::kInfo},
                                                       {"warning", LogLevel::kWarning},
                                                       {"error", LogLevel::kError},
                                                       {"off", LogLevel::kOff}};

constexpr const char* kLevelWords = "debug, info, warning, error or off";

void add_token(CLI::App& command, TokenSource& token) {
  command.add_option("--token-file", token.file,
                     "File with the token of HTTP requests, mode 0600; default: WARPSMITH_TOKEN");
}

void add_tls(CLI::App& serve, TlsPaths& tls) {
  serve.add_option("--tls-cert", tls.certificate,
                   "PEM file with the certificate of --http, then its issuers': TLS 1.3 only");
  serve.add_option("--tls-key", tls.key, "PEM file with the certificate's private key, mode 0600");
  serve.add_option("--tls-client-ca", tls.client_ca,
                   "PEM file with issuers: clients without a certificate of theirs are refused");
}

void add_oauth(CLI::App& serve, OAuthOptions& oauth) {
  serve.add_option("--oauth-issuer", oauth.rules.issuer,
                   "URL of an OAuth issuer whose access tokens are taken");
  serve.add_option("--oauth-resource", oauth.rules.resource,
                   "URL of this server as its clients write it, which their tokens must be for");
  serve.add_option("--oauth-keys", oauth.key_file,
                   "File with the issuer's keys (JWKS); default: they are fetched");
  serve.add_option("--oauth-keys-url", oauth.key_url,
                   "URL of the issuer's keys; default: as the issuer's metadata says");
  serve.add_option("--oauth-ca", oauth.ca,
                   "PEM file with the issuer of their certificate; default: the system's");
  serve
      .add_option("--oauth-name-claim", oauth.rules.name_claim,
                  "The claim of a token that names its principal")
      ->default_str(oauth.rules.name_claim);
  serve
      .add_option("--oauth-scope-prefix", oauth.rules.scope_prefix,
                  "Scopes that give a role are this and its name")
      ->default_str(oauth.rules.scope_prefix);
}

/// Options for those who operate a server.
void add_operation(CLI::App& serve, CommandLine& line) {
  serve
      .add_option_function<std::string>(
          "--log-format",
          [&line](const std::string& word) {
            line.log_format = word == "json" ? LogFormat::kJson : LogFormat::kText;
          },
          "text or json: one JSON object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  serve.add_option("--audit", line.serve.audit_file,
                   "Append to this file who called which tool, and what was stored: JSON lines");
  serve.add_option("--otlp", line.serve.collector,
                   "Send traces to this collector of OpenTelemetry: http://HOST:4318");
  serve
      .add_option_function<int>(
          "--drain",
          [&line](int seconds) { line.serve.drain_time = std::chrono::seconds(seconds); },
          "Seconds that running jobs have after SIGTERM, which a second one ends; default: 10")
      ->check(CLI::Range(0, 3600))
      ->default_str("10");
  serve.add_flag("--metrics-open", line.serve.metrics_open,
                 "GET /metrics needs no token, also where other requests do");
}

void add_serve(CLI::App& app, CommandLine& line) {
  CLI::App* serve = app.add_subcommand("serve", "Run the MCP server");
  CLI::Option_group* transport = serve->add_option_group("transport");
  transport->add_flag("--stdio", line.serve.stdio, "One message a line on stdin and stdout");
  transport->add_option("--http", line.serve.http,
                        "HOST:PORT, such as 127.0.0.1:7411; beyond loopback with a token only");
  transport->require_option(0, 1);
  serve
      ->add_option("--socket", line.serve.socket,
                   "Path of a Unix socket for HTTP, beside --http or alone; for this user only")
      ->excludes("--stdio");
  serve->add_option("--config", line.config_file,
                    "A TOML file with these options; default: ~/.config/warpsmith/config.toml");
  serve->add_flag("--print-config", line.print_config,
                  "Print the options in effect and where each comes from, and end");
  serve->callback([&line] {
    if (!line.print_config && !line.serve.stdio && line.serve.http.empty() &&
        line.serve.socket.empty()) {
      throw CLI::RequiredError("--stdio, --http HOST:PORT or --socket PATH");
    }
  });
  add_token(*serve, line.serve.token);
  serve->add_option("--principals", line.serve.principals_file,
                    "TOML file of those who may send HTTP requests, made by `token new`");
  add_oauth(*serve, line.serve.oauth);
  serve->add_flag("--allow-python-reference", line.serve.python_reference,
                  "Over HTTP: run references that problems bring as Python, in a sandbox");
  serve
      ->add_option("--cache-size", line.serve.services.cache_bytes,
                   "Limit of the compile cache on disk, such as 512MB; default: 2 GiB")
      ->transform(CLI::AsSizeValue(false));
  serve
      ->add_option_function<std::string>(
          "--run-on", [&line](const std::string& word) { line.serve.on_nodes = word == "nodes"; },
          "here, or nodes: other processes do the work, those of `warpsmith node`")
      ->check(CLI::IsMember({"here", "nodes"}))
      ->default_str("here");
  add_share_options(*serve, line.serve.share);
  add_tls(*serve, line.serve.tls);
  add_operation(*serve, line);
  add_reward_options(*serve, line.serve.rewards);
  add_devices(*serve, line.serve.services);
  add_skills(*serve, line);
  add_data(*serve, line);
  add_store(*serve, line);
}

void add_call(CLI::App& app, CommandLine& line) {
  CLI::App* call = app.add_subcommand("call", "Call one tool and print its result as JSON");
  call->add_option("TOOL", line.call.tool, "Its name")->required();
  call->add_option("JSON", line.call.arguments, "Its arguments: JSON, @file, or - for stdin")
      ->required();
  call->add_option("--server", line.call.server_url,
                   "URL of a running server: http://HOST:PORT/mcp, https: or unix:PATH");
  add_token(*call, line.call.token);
  add_trust(*call, line.call.trust);
  add_devices(*call, line.call.services);
  add_skills(*call, line);
  add_data(*call, line);
  add_store(*call, line);
}

void add_demo(CLI::App& app, CommandLine& line) {
  CLI::App* demo = app.add_subcommand("demo", "Show the main job: broken, fixed, judged, timed");
  demo->add_option("--data", line.demo.data_dir,
                   "Keep what is made here; default: a folder in /tmp");
  demo->add_flag("--json", line.demo.json, "One JSON object at the end, no table");
}

void add_doctor(CLI::App& app, CommandLine& line) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "Show what is installed, what is missing and the fix");
  doctor->add_flag("--json", line.doctor.json, "One JSON object, no table");
  add_skills(*doctor, line);
  add_data(*doctor, line);
}

void add_cache(CLI::App& app, CommandLine& line) {
  CLI::App* cache = app.add_subcommand("cache", "Maintain the compile cache on disk");
  cache->add_option("ACTION", line.cache.action, "stats, clear or verify")
      ->required()
      ->check(CLI::IsMember(cache_actions()));
  cache->add_flag("--json", line.cache.json, "One JSON object, no text");
  add_data(*cache, line);
}

void add_replay(CLI::App& app, CommandLine& line) {
  CLI::App* replay =
      app.add_subcommand("replay", "Run a recorded workflow again: every step judged and timed");
  replay
      ->add_option("WORKFLOW", line.replay.workflow, "A folder with workflow.json, or such a file")
      ->required();
  replay->add_option("--data", line.replay.data_dir,
                     "Keep what is made here; default: a folder in /tmp");
  replay->add_option("--device", line.replay.device, "Such as cuda:0; default: the first device");
  replay->add_option("--svg", line.replay.svg, "Write a chart of the speed-ups to this file");
  replay->add_flag("--quick", line.replay.quick, "Time only the last kernel, and search nothing");
  replay->add_flag("--json", line.replay.json, "One JSON object at the end, no table");
  replay->add_flag_callback(
      "--no-gpu", [&line] { line.replay.gpus = false; }, "Use only the CPU engine, no GPU");
  add_skills(*replay, line);
}

void add_manual(CLI::App& app, ManualOptions& options) {
  CLI::App* manual =
      app.add_subcommand("manual", "Print the manual page, or what a shell completes by");
  manual->add_option("FORM", options.form, "man, bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(manual_forms()));
}

void add_stats(CLI::App& app, CommandLine& line) {
  CLI::App* stats =
      app.add_subcommand("stats", "Show which passes of transformations fail, and why");
  stats->add_flag("--json", line.stats.json, "One JSON object, no table");
  add_data(*stats, line);
  add_store(*stats, line);
}

}  // namespace

void add_trust(CLI::App& command, HttpTrust& trust) {
  command.add_option(
      "--ca", trust.ca,
      "PEM file with the issuer of an https server's certificate; default: the system's");
  CLI::Option* const shown = command.add_option(
      "--client-cert", trust.certificate, "PEM file with a certificate to show to that server");
  CLI::Option* const key =
      command.add_option("--client-key", trust.key, "PEM file with the key of --client-cert");
  shown->needs(key);
  key->needs(shown);
}

void add_data(CLI::App& command, CommandLine& line) {
  command.add_option("--data", line.data_dir, "The archive's folder")->capture_default_str();
  const auto known = [](const std::string& word) {
    return kLevelsByName.contains(word) ? std::string()
                                        : "no level \"" + word + "\"; use " + kLevelWords;
  };
  command
      .add_option_function<std::string>(
          "--log-level",
          [&line](const std::string& word) { line.log_level = kLevelsByName.at(word); },
          kLevelWords)
      ->check(known)
      ->type_name("LEVEL");
}

void add_store(CLI::App& command, CommandLine& line) {
  // Before anything prints it: it may have a password in it.
  const auto refused = [](const std::string& url) {
    const Result<std::string> name = store_name(url);
    return name ? std::string() : to_text(name.error());
  };
  command
      .add_option("--store", line.store,
                  "Keep the archive in this database: postgres://USER@HOST:PORT/DATABASE")
      ->check(refused);
}

void add_devices(CLI::App& command, ServicesOptions& services) {
  command.add_flag_callback(
      "--no-gpu", [&services] { services.gpus = false; }, "Use only the CPU engine, no GPU");
}

void add_skills(CLI::App& command, CommandLine& line) {
  command
      .add_option("--skills", line.skills_dir,
                  "A folder of your own transformations; goes before ~/.config/warpsmith")
      ->check(CLI::ExistingDirectory);
}

void add_running(CLI::App& app, CommandLine& line) {
  add_serve(app, line);
  add_call(app, line);
  add_demo(app, line);
  add_doctor(app, line);
  add_config(app, line.config);
  add_cache(app, line);
  add_replay(app, line);
  add_stats(app, line);
  add_manual(app, line.manual);
}

}  // namespace ws::server
