#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/log_later.h"
#include "server/cli/app.h"
#include "server/cli/commands.h"
#include "server/memory_reserve.h"
#include "server/transport/http_transport.h"
#include "server/transport/stdio_transport.h"

namespace ws::server {
namespace {

int g_stop_fd = -1;  // For the signal handler, which can take no argument.

extern "C" void on_stop_signal(int /*signal*/) {
  const std::uint64_t one = 1;
  // Nothing could be done about a failure here.
  [[maybe_unused]] const ssize_t written = ::write(g_stop_fd, &one, sizeof(one));
}

extern "C" void on_ignored_signal(int /*signal*/) {}

/// A descriptor that becomes readable on SIGINT and SIGTERM. Handlers, not a blocked mask: child
/// processes would inherit the mask, and SIG_IGN too, but handlers end at exec.
Result<Fd> stop_on_signals() {
  Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop.valid()) {
    return fail_errno("eventfd", "cannot wait for signals");
  }
  g_stop_fd = stop.get();
  struct sigaction action = {};
  action.sa_handler = on_stop_signal;
  for (const int signal : {SIGINT, SIGTERM}) {
    ::sigaction(signal, &action, nullptr);
  }
  action.sa_handler = on_ignored_signal;
  ::sigaction(SIGPIPE, &action, nullptr);
  return stop;
}

/// Each connection takes one. Many systems give 1024 to a process that does not ask.
void allow_descriptors() {
  constexpr rlim_t kWanted = 16384;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kWanted) {
    files.rlim_cur = std::min(kWanted, files.rlim_max);
    // It does without those that it cannot get: the server takes fewer connections.
    [[maybe_unused]] const int set = ::setrlimit(RLIMIT_NOFILE, &files);
  }
}

/// False: requests that do not stop still use the app.
Result<bool> serve(const ServeOptions& options, const McpServer& server, int stop_fd) {
  if (options.stdio) {
    WS_TRY(const Fd out, take_stdout());
    return StdioTransport(server, STDIN_FILENO, out.get(), stop_fd).run();
  }
  WS_TRY(std::optional<BearerToken> token, find_token(options.token));
  const bool guarded = token.has_value();
  WS_TRY(const ListenAddress address, parse_listen_address(options.http, guarded));
  WS_TRY(const auto transport, HttpTransport::open(server, address, std::move(token)));
  const bool bracketed = address.host.find(':') != std::string::npos;
  const std::string host = bracketed ? "[" + address.host + "]" : address.host;
  log(LogLevel::kInfo, "server",
      "listening on http://" + host + ":" + std::to_string(transport->port()) + kMcpPath);
  if (guarded) {
    log(LogLevel::kInfo, "server", "every request must show the token");
  }
  return transport->run(stop_fd);
}

Result<bool> run_server(const ServeOptions& options, std::unique_ptr<App>& app) {
  WS_TRY(const Fd stop, stop_on_signals());
  ServicesOptions services = options.services;
  services.python_references = options.stdio || options.python_reference;
  if (!nlohmann::json(options.rewards).empty()) {
    services.reward_pins = std::make_shared<const RewardPins>(options.rewards);
  }
  WS_TRY(app, App::open(services));
  return serve(options, app->server(), stop.get());
}

}  // namespace

int serve_command(const ServeOptions& options) {
  std::unique_ptr<App> app;
  allow_descriptors();
  keep_memory_reserve();
  const Result<bool> stopped = run_server(options, app);
  if (!stopped) {
    log(LogLevel::kError, "server", to_text(stopped.error()));
    return kExitFailed;
  }
  if (!*stopped) {
    log(LogLevel::kWarning, "server", "some requests did not stop in time");
    write_late_lines();
    std::_Exit(kExitOk);
  }
  return kExitOk;
}

}  // namespace ws::server
