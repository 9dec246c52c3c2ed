#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/audit.h"
#include "runtime/base/log_later.h"
#include "runtime/base/worker_groups.h"
#include "server/cli/app.h"
#include "server/cli/collector.h"
#include "server/cli/commands.h"
#include "server/cli/serve_oauth.h"
#include "server/cli/serve_tls.h"
#include "server/cli/version.h"
#include "server/memory_reserve.h"
#include "server/operate/life_cycle.h"
#include "server/operate/operation.h"
#include "server/operate/work_rows.h"
#include "server/page/page.h"
#include "server/transport/http_transport.h"
#include "server/transport/stdio_transport.h"

namespace ws::server {
namespace {

/// All outlive requests that do not stop.
struct Served {
  std::unique_ptr<TraceExporter> traces;
  std::unique_ptr<App> app;
  std::unique_ptr<Operation> operation;
  std::unique_ptr<Page> page;       ///< Over HTTP only.
  std::shared_ptr<TlsContext> tls;  ///< Null: the address is not encrypted.
};

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

/// Whether the thread that serves all connections has gone round since the last time.
std::function<bool()> sign_of_life(const HttpTransport& transport) {
  return [&transport, last = std::uint64_t{0}]() mutable {
    const std::uint64_t rounds = transport.beat();
    return std::exchange(last, rounds) != rounds;
  };
}

/// Takes the principals from their file again.
void reload(Principals& principals, const Operation& operation) {
  const Status reloaded = principals.reload();
  if (!reloaded) {
    log(LogLevel::kError, "server",
        "the principals stay as they were: " + to_text(reloaded.error()));
    return;
  }
  operation.use_quotas(principals);
  log(LogLevel::kInfo, "server", "the principals were read again");
}

LifeHooks hooks_of(const McpServer& server, const Operation& operation) {
  return {.drain = [&server] { server.drain(); },
          .idle = [&operation] { return operation.idle(); },
          .reopen_logs =
              [] {
                const Status reopened = reopen_audit();
                log(reopened ? LogLevel::kInfo : LogLevel::kError, "server",
                    reopened ? "the logs were opened again" : to_text(reopened.error()));
              },
          .reload = {},
          .lives = {}};
}

/// Those of the operation, and the page to look at.
OperatorPages pages_of(Served& served) {
  OperatorPages pages = served.operation->pages();
  pages.page = [page = served.page.get()](const HttpHead& head) { return page->reply(head); };
  pages.page_events = [page = served.page.get()](const HttpHead& head,
                                                 const std::shared_ptr<HttpResponder>& responder,
                                                 const std::stop_token& gone) {
    return page->follow(head, responder, gone);
  };
  return pages;
}

Result<std::unique_ptr<Page>> open_page(Services& services) {
  return Page::open(*services.archive, services.options.archive(),
                    {.devices = [&services] { return device_rows(services.devices); },
                     .work = [&services] { return public_work(*services.jobs); },
                     .wait_for_change = wait_for_work});
}

void log_places(const HttpPlaces& places, int port, bool guarded) {
  if (places.address) {
    const bool bracketed = places.address->host.find(':') != std::string::npos;
    const std::string host = bracketed ? "[" + places.address->host + "]" : places.address->host;
    log(LogLevel::kInfo, "server",
        std::string("listening on ") + (places.tls ? "https://" : "http://") + host + ":" +
            std::to_string(port) + kMcpPath);
  }
  if (!places.socket.empty()) {
    log(LogLevel::kInfo, "server", "listening on unix:" + places.socket);
  }
  if (places.tls) {
    log(LogLevel::kInfo, "server", places.tls->summary());
  }
  if (guarded && places.address) {
    log(LogLevel::kInfo, "server", "every request must show a token");
  }
}

/// False: requests that do not stop still use the app.
Result<bool> serve_http(const ServeOptions& options, Served& served, LifeCycle& life) {
  const McpServer& server = served.app->server();
  WS_TRY(std::optional<BearerToken> token, find_token(options.token));
  WS_TRY(const std::shared_ptr<const AccessTokens> issued, open_oauth(options.oauth));
  WS_TRY(const std::shared_ptr<Principals> principals,
         Principals::open(std::move(token), options.principals_file, issued));
  const bool guarded = principals->guarded();
  served.operation->use_quotas(*principals);
  HttpPlaces places{
      .socket = options.socket,
      .socket_users = principals->has_users() ? SocketUsers::kAll : SocketUsers::kOwn};
  places.tls = served.tls;
  if (!options.http.empty()) {
    WS_TRY(places.address, parse_listen_address(options.http, guarded));
  }
  WS_TRY(const auto transport,
         HttpTransport::open(
             server, places,
             {.gate = std::make_shared<Gate>(principals),
              .pages = pages_of(served),
              .metrics_open = options.metrics_open,
              .resource =
                  issued ? std::make_shared<const ProtectedResource>(issued->rules()) : nullptr}));
  log_places(places, transport->port(), guarded);
  LifeHooks hooks = hooks_of(server, *served.operation);
  hooks.lives = sign_of_life(*transport);
  hooks.reload = [&served, principals, issued, has_file = !options.principals_file.empty()] {
    if (has_file) {
      reload(*principals, *served.operation);
    }
    if (issued) {
      reload_oauth(*issued);
    }
    if (served.tls) {
      reload_tls(*served.tls);
    }
  };
  life.run(std::move(hooks));
  const bool idle = transport->run(life.stop_fd());
  life.leave();
  return idle;
}

/// As serve_http().
Result<bool> serve(const ServeOptions& options, Served& served, LifeCycle& life) {
  if (!options.stdio) {
    WS_TRY(served.page, open_page(served.app->services()));
    return serve_http(options, served, life);
  }
  const McpServer& server = served.app->server();
  WS_TRY(const Fd out, take_stdout());
  life.run(hooks_of(server, *served.operation));
  const bool idle = StdioTransport(server, STDIN_FILENO, out.get(), life.stop_fd()).run();
  life.leave();
  return idle;
}

/// Nodes need a store, and their own terms of rewards.
Status check_nodes(const ServeOptions& options) {
  if (!options.on_nodes) {
    return {};
  }
  if (options.services.store.empty()) {
    return fail(ErrorCode::kInvalidArgument, "--run-on nodes needs a --store",
                "name the database that the nodes share");
  }
  if (!nlohmann::json(options.rewards).empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "--run-on nodes does not take terms of rewards: nodes work them out",
                "give them to each `warpsmith node`");
  }
  return {};
}

Result<bool> run_all(const ServeOptions& options, Served& served) {
  WS_CHECK(check_nodes(options));
  WS_TRY(const auto life,
         LifeCycle::begin({.drain_time = options.drain_time, .service = options.service}));
  if (!options.audit_file.empty()) {
    WS_CHECK(open_audit(options.audit_file));
  }
  if (!options.collector.empty()) {
    WS_TRY(served.traces, export_traces(options.collector));
  }
  WS_TRY(served.tls, open_tls(options));
  ServicesOptions services = options.services;
  services.python_references = options.stdio || options.python_reference;
  services.on_nodes = options.on_nodes;
  WS_CHECK(read_share(options.share, services));
  if (!nlohmann::json(options.rewards).empty()) {
    services.reward_pins = std::make_shared<const RewardPins>(options.rewards);
  }
  WS_TRY(served.app, App::open(services));
  WS_TRY(served.operation,
         Operation::open(served.app->services(), served.app->server(), version()));
  return serve(options, served, *life);
}

Result<bool> run_server(const ServeOptions& options, Served& served) {
  try {
    return run_all(options, served);
  } catch (const std::system_error& error) {
    return cannot_start(error);
  } catch (const std::bad_alloc& error) {
    return cannot_start(error);
  }
}

}  // namespace

int serve_command(const ServeOptions& options) {
  Served served;
  allow_descriptors();
  log(LogLevel::kDebug, "server", text_of(prepare_groups()));
  keep_memory_reserve();
  const Result<bool> stopped = run_server(options, served);
  if (!stopped) {
    log(LogLevel::kError, "server", to_text(stopped.error()));
    return kExitFailed;
  }
  if (!*stopped) {
    log(LogLevel::kWarning, "server", "some requests did not stop in time");
    write_late_audit();
    write_late_lines();
    std::_Exit(kExitOk);
  }
  return kExitOk;
}

}  // namespace ws::server
