#include "server/operate/life_cycle.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/temp_folder.h"

namespace ws::server {
namespace {

using std::chrono::milliseconds;

/// In the place of systemd.
class Manager {
 public:
  explicit Manager(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof(name.sun_path));
    path.copy(name.sun_path, path.size());
    REQUIRE(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0);
  }

  /// The next message; empty: none came within ten seconds.
  std::string next() {
    pollfd wait{socket_.get(), POLLIN, 0};
    std::string text(64, '\0');
    const bool came = ::poll(&wait, 1, 10'000) == 1;
    const ssize_t size = came ? ::recv(socket_.get(), text.data(), text.size(), 0) : 0;
    return text.substr(0, size > 0 ? static_cast<std::size_t>(size) : 0);
  }

 private:
  Fd socket_;
};

/// Leaves the signals of this process as they were.
struct Handlers {
  Handlers() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], nullptr, &before[i]);
    }
  }

  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  ~Handlers() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], &before[i], nullptr);
    }
  }

  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGPIPE};
  struct sigaction before[6] = {};
};

bool is_readable(int fd, milliseconds limit) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, static_cast<int>(limit.count())) == 1;
}

bool soon(const std::function<bool()>& met) {
  for (int i = 0; i < 5000 && !met(); ++i) {
    ::usleep(2000);
  }
  return met();
}

struct Counts {
  std::atomic<int> drained = 0;
  std::atomic<int> reopened = 0;
  std::atomic<int> reloaded = 0;
  std::atomic<bool> idle = false;

  LifeHooks hooks() {
    return {.drain = [this] { ++drained; },
            .idle = [this] { return idle.load(); },
            .reopen_logs = [this] { ++reopened; },
            .reload = [this] { ++reloaded; },
            .lives = {}};
  }
};

std::unique_ptr<LifeCycle> begun(LifeCycle::Options options) {
  auto life = LifeCycle::begin(std::move(options));
  REQUIRE(life.has_value());
  return *std::move(life);
}

}  // namespace

TEST_SUITE("operate.life_cycle") {
  TEST_CASE("SIGTERM lets what is begun end, SIGHUP reloads and opens the logs again") {
    const Handlers handlers;
    Counts counts;
    const auto life = begun({.drain_time = std::chrono::hours(1)});
    life->run(counts.hooks());
    ::raise(SIGHUP);
    ::raise(SIGUSR1);
    CHECK(soon([&] { return counts.reopened == 2; }));
    CHECK(counts.reloaded == 1);
    CHECK(counts.drained == 0);
    ::raise(SIGTERM);
    CHECK(soon([&] { return counts.drained == 1; }));
    CHECK_FALSE(is_readable(life->stop_fd(), milliseconds(100)));
    counts.idle = true;
    CHECK(is_readable(life->stop_fd(), milliseconds(10'000)));
  }

  TEST_CASE(
      "the end comes at once by a second SIGTERM, by SIGINT, by SIGQUIT, and after its time") {
    const Handlers handlers;
    for (const std::vector<int>& signals : {std::vector<int>{SIGTERM, SIGTERM},
                                            std::vector<int>{SIGINT}, std::vector<int>{SIGQUIT}}) {
      CAPTURE(signals.front());
      Counts counts;
      const auto life = begun({.drain_time = std::chrono::hours(1)});
      life->run(counts.hooks());
      for (const int signal : signals) {
        ::raise(signal);
      }
      CHECK(is_readable(life->stop_fd(), milliseconds(10'000)));
    }
    Counts counts;
    const auto life = begun({.drain_time = milliseconds(50)});
    life->run(counts.hooks());
    ::raise(SIGTERM);
    CHECK(is_readable(life->stop_fd(), milliseconds(10'000)));
    CHECK(counts.drained == 1);
  }

  TEST_CASE("before the server runs, and after it, SIGTERM ends it at once") {
    const Handlers handlers;
    const auto early = begun({});
    ::raise(SIGTERM);
    CHECK(is_readable(early->stop_fd(), milliseconds(10'000)));
    Counts counts;
    const auto late = begun({});
    late->run(counts.hooks());
    late->leave();
    ::raise(SIGTERM);
    CHECK(is_readable(late->stop_fd(), milliseconds(10'000)));
    CHECK(counts.drained == 0);
  }

  TEST_CASE("the service manager is told when it is ready, lives and stops") {
    const Handlers handlers;
    const auto folder = *TempFolder::make();
    const std::string path = (folder->path() / "notify").string();
    Manager manager(path);
    Counts counts;
    std::atomic<bool> lives = true;
    const auto life = begun(
        {.drain_time = std::chrono::hours(1), .service = {.path = path, .watchdog_us = "60000"}});
    LifeHooks hooks = counts.hooks();
    hooks.lives = [&lives] { return lives.load(); };
    std::string message = manager.next();  // The thread may beat before the server runs.
    life->run(hooks);
    while (message == "WATCHDOG=1") {
      message = manager.next();
    }
    CHECK(message == "READY=1");
    CHECK(manager.next() == "WATCHDOG=1");
    CHECK(manager.next() == "WATCHDOG=1");
    lives = false;
    ::raise(SIGTERM);
    do {
      message = manager.next();
    } while (message == "WATCHDOG=1");
    CHECK(message == "STOPPING=1");
    counts.idle = true;
    CHECK(is_readable(life->stop_fd(), milliseconds(10'000)));
  }

  TEST_CASE("a service manager that cannot be reached is no hindrance") {
    ServiceManager({.path = "/no/such/socket", .watchdog_us = ""}).tell("READY=1");
    ServiceManager({.path = "relative", .watchdog_us = "x"}).tell("READY=1");
    CHECK_FALSE(ServiceManager({.path = "relative", .watchdog_us = "x"}).beat().has_value());
    CHECK_FALSE(ServiceManager({}).beat().has_value());
  }
}

}  // namespace ws::server
