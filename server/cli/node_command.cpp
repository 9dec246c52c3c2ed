// node.
#include <array>
#include <climits>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/base/worker_groups.h"
#include "runtime/broker/pg_broker.h"
#include "server/cli/app.h"
#include "server/cli/commands.h"
#include "server/cli/version.h"
#include "server/memory_reserve.h"
#include "server/node/node_name.h"
#include "server/node/node_worker.h"
#include "server/operate/life_cycle.h"
#include "tools/all_tools.h"

namespace ws::server {
namespace {

/// For jobs that end at the same time, and for signs of life.
constexpr std::size_t kNodeConnections = 4;

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "node";
}

/// The devices that work, and their kinds as lanes.
NodeInfo node_of(const NodeOptions& options, Services& services) {
  const std::string host = host_name();
  NodeInfo node{.name = options.name,
                .instance = services.instance->id(),
                .host = host,
                .devices = {},
                .lanes = {},
                .version = version()};
  if (node.name.empty()) {
    const std::string process = "-" + std::to_string(::getpid());
    node.name = host.substr(0, kLongestNodeName - process.size()) + process;
  }
  for (const Device& device : services.devices) {
    if (!device.backend->info()) {
      continue;
    }
    node.devices += (node.devices.empty() ? "" : ",") + device.id;
    std::string lane = device.id.substr(0, device.id.find(':'));
    if (node.lanes.empty() || node.lanes.back() != lane) {
      node.lanes.push_back(std::move(lane));
    }
  }
  return node;
}

/// Calls `then` when the descriptor is readable, if that is before this ends.
class Readable {
 public:
  Readable(int fd, std::function<void()> then)
      : end_(::eventfd(0, EFD_CLOEXEC)),
        thread_([this, fd, then = std::move(then)] {
          std::array<pollfd, 2> files = {pollfd{fd, POLLIN, 0}, pollfd{end_.get(), POLLIN, 0}};
          while (::poll(files.data(), files.size(), -1) < 0) {
          }
          if (files[0].revents != 0) {
            then();
          }
        }) {}

  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

  ~Readable() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(end_.get(), &one, sizeof one);
  }

 private:
  const Fd end_;
  std::jthread thread_;
};

Status run_node(const NodeOptions& options) {
  if (!options.name.empty()) {
    WS_CHECK(check_node_name(options.name));
  }
  WS_TRY(const auto life,
         LifeCycle::begin({.drain_time = options.drain_time, .service = options.service}));
  ServicesOptions wanted = options.services;
  wanted.gpus = options.lanes != "cpu";
  wanted.python_references = options.python_reference;
  WS_CHECK(read_share(options.share, wanted));
  if (!nlohmann::json(options.rewards).empty()) {
    wanted.reward_pins = std::make_shared<const RewardPins>(options.rewards);
  }
  ToolRegistry tools;  // Before the services: their jobs use the tools to their end.
  WS_TRY(const std::unique_ptr<Services> services, open_services(wanted));
  add_all_tools(tools, *services);
  WS_CHECK(tools.status());
  PgBroker broker(options.services.store, kNodeConnections);
  const NodeInfo node = node_of(options, *services);
  const auto devices =
      static_cast<std::size_t>(std::count(node.devices.begin(), node.devices.end(), ',') + 1);
  // While one job is on a device, another one compiles.
  NodeWorker worker(broker, *services, tools, node,
                    {.jobs = devices + 1, .idle_exit = options.idle_exit});
  const Readable stopped(life->stop_fd(), [&worker] { worker.stop(); });
  life->run({.drain = [&worker] { worker.drain(); },
             .idle = [&worker] { return worker.idle(); },
             .reopen_logs = {},
             .reload = {},
             .lives = {}});
  services->warm();
  const Status done = worker.run();
  life->leave();
  return done;
}

Status run_guarded(const NodeOptions& options) {
  try {
    return run_node(options);
  } catch (const std::system_error& error) {
    return cannot_start(error);
  } catch (const std::bad_alloc& error) {
    return cannot_start(error);
  }
}

}  // namespace

int node_command(const NodeOptions& options) {
  log(LogLevel::kDebug, "node", text_of(prepare_groups()));
  keep_memory_reserve();
  const Status done = run_guarded(options);
  if (!done) {
    log(LogLevel::kError, "node", to_text(done.error()));
    return kExitFailed;
  }
  return kExitOk;
}

}  // namespace ws::server
