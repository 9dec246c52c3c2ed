#include "server/transport/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "runtime/base/log.h"
#include "runtime/base/metrics.h"
#include "runtime/base/no_memory.h"
#include "server/transport/http_links.h"
#include "server/transport/http_listener.h"
#include "server/transport/http_mailbox.h"
#include "server/transport/short_wait.h"

namespace ws::server {
namespace {

constexpr std::uint64_t kListenerKey = 0;
constexpr std::uint64_t kMailKey = 1;
constexpr std::uint64_t kSocketKey = 2;
constexpr std::uint64_t kFirstLink = 3;
constexpr std::size_t kSentTogether = 16;  // More would let the first of them wait too long.
constexpr int kAcceptedAtOnce = 64;        // Then those that are here have their turn.
constexpr auto kPauseWithoutDescriptors = std::chrono::milliseconds(100);
constexpr auto kLastAnswers = std::chrono::seconds(5);
constexpr auto kLongestSleep = std::chrono::seconds(60);

/// Half of the descriptors are for workers, buffers and files.
HttpLimits within_descriptors(HttpLimits limits) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY) {
    limits.max_connections = std::min<std::size_t>(limits.max_connections, files.rlim_cur / 2);
  }
  // Clients of other addresses find room in the last quarter.
  limits.max_per_address = std::min(limits.max_per_address, limits.max_connections * 3 / 4);
  return limits;
}

class EpollServer : public HttpServer {
 public:
  EpollServer(HttpHandlers handlers, const HttpLimits& limits)
      : handlers_(std::move(handlers)),
        limits_(within_descriptors(limits)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        shared_{
            handlers_, limits_,
            [mailbox = mailbox_](std::uint64_t link, std::uint64_t request, std::string accepted) {
              return mail_responder(mailbox, link, request, std::move(accepted));
            }} {}

  Status bind(const HttpPlaces& places) {
    tls_ = places.tls;
    if (places.address) {
      WS_TRY(listener_, listen_on(*places.address));
    }
    if (!places.socket.empty()) {
      WS_TRY(SocketPlace place, SocketPlace::listen(places.socket, places.socket_users));
      place_.emplace(std::move(place));
    }
    if (!epoll_.valid() || mailbox_->descriptor() < 0) {
      return fail_errno("epoll", "cannot watch connections");
    }
    listen_for(EPOLL_CTL_ADD, mailbox_->descriptor(), EPOLLIN, kMailKey);
    listen_at_places(EPOLL_CTL_ADD, EPOLLIN);
    port_ = listener_.port;
    return {};
  }

  [[nodiscard]] int port() const override { return port_; }

  void run() override {
    while (!stopping_) {
      step();
    }
    listener_.socket.reset();  // Closed once, and by nobody else.
    place_.reset();
    accepting_ = false;
    drop_all([this] { return links_.spare(); });
    const auto end = Clock::now() + kLastAnswers;
    while (links_.size() > 0 && Clock::now() < end) {
      step();
      drop_all([this] { return links_.spare(); });
    }
    drop_all([this] { return links_.all(); });
    mailbox_->close();
  }

  void stop() override {
    stopping_ = true;
    mailbox_->wake();
  }

  std::uint64_t beat() override {
    mailbox_->wake();
    return rounds_;
  }

 private:
  [[nodiscard]] bool is_open() const { return listener_.socket.valid() || place_.has_value(); }

  void listen_at_places(int how, std::uint32_t events) const {
    if (listener_.socket.valid()) {
      listen_for(how, listener_.socket.get(), events, kListenerKey);
    }
    if (place_) {
      listen_for(how, place_->socket().get(), events, kSocketKey);
    }
  }

  void listen_for(int how, int descriptor, std::uint32_t events, std::uint64_t key) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = key;
    ::epoll_ctl(epoll_.get(), how, descriptor, &event);
  }

  /// Waits for something to do, and does it.
  void step() {
    try {
      look();
    } catch (const std::exception& error) {
      log(LogLevel::kError, "http", error.what());  // No memory for a new connection, or a mail.
    }
  }

  void look() {
    ++rounds_;
    open_.set(static_cast<std::int64_t>(links_.size()));
    std::array<epoll_event, 256> events;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const auto wait = [&](int ms) {
      return ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), ms);
    };
    int count = 0;
    if (!pause_.awake([&] { return (count = wait(0)) != 0; })) {
      count = wait(sleep_ms());
      pause_.slept();
    }
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events.at(static_cast<std::size_t>(i));
      if (event.data.u64 == kListenerKey) {
        accept_some(listener_.socket, tls_.get());
      } else if (event.data.u64 == kSocketKey) {
        accept_some(place_->socket(), nullptr);
      } else if (event.data.u64 == kMailKey) {
        deliver_mail();
      } else {
        on_link(event.data.u64, [&event](HttpLink& link) { link.on_events(event.events); });
      }
    }
    send_all();
    call_timers();
  }

  [[nodiscard]] int sleep_ms() const {
    auto until = Clock::now() + kLongestSleep;
    until = std::min(until, links_.next_deadline());
    if (!accepting_ && is_open()) {
      until = std::min(until, accept_again_);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    return std::max(0, static_cast<int>(left.count()));
  }

  template <typename Action>
  static void or_lose(HttpLink& link, const Action& action) {
    try {
      action();
    } catch (const std::exception& error) {
      log(LogLevel::kError, "http", "a connection is closed:");
      log(LogLevel::kError, "http", error.what());
      link.lose();
    }
  }

  /// An error in one connection ends only that one.
  template <typename Action>
  void with_link(std::uint64_t id, const Action& action) {
    HttpLink* const found = links_.find(id);
    if (found == nullptr) {
      return;
    }
    HttpLink& link = *found;
    mailbox_->serve_directly(
        id, [&link](const HttpMail& mail) { or_lose(link, [&] { link.deliver(mail); }); });
    or_lose(link, [&] { action(link); });
    mailbox_->serve_no_more();
  }

  /// Its answers go out with those of others.
  template <typename Action>
  void on_link(std::uint64_t id, const Action& action) {
    with_link(id, action);
    changed_.at(changes_++) = id;
    if (changes_ == changed_.size()) {
      send_all();
    }
  }

  /// Sends what the links have, and sees to what has changed in them.
  void send_all() {
    for (std::size_t i = 0; i < changes_; ++i) {
      with_link(changed_.at(i), [](HttpLink& link) { link.send(); });
      settle(changed_.at(i));
    }
    changes_ = 0;
  }

  void settle(std::uint64_t id) {
    const HttpLink* const link = links_.find(id);
    if (link == nullptr) {
      return;
    }
    if (link->closed()) {
      links_.remove(id);
    } else if (links_.settle(id)) {
      listen_for(EPOLL_CTL_MOD, link->socket(), link->interest(), id);
    }
  }

  void drop(const std::vector<std::uint64_t>& ids) {
    for (const std::uint64_t id : ids) {
      on_link(id, [](HttpLink& link) { link.lose(); });
    }
    send_all();
  }

  template <typename Which>
  void drop_all(const Which& which) {
    std::vector<std::uint64_t> ids;
    surely([&] { ids = which(); });
    drop(ids);
  }

  void deliver_mail() {
    for (const HttpMail& mail : mailbox_->take()) {
      on_link(mail.link, [&mail](HttpLink& link) { link.deliver(mail); });
    }
  }

  void call_timers() {
    const auto now = Clock::now();
    while (links_.next_deadline() <= now) {
      on_link(links_.first_due(), [](HttpLink& link) { link.on_deadline(); });
      send_all();
    }
    if (!accepting_ && is_open() && now >= accept_again_) {
      accepting_ = true;
      listen_at_places(EPOLL_CTL_MOD, EPOLLIN);
    }
  }

  void accept_some(const Fd& listener, const TlsContext* tls) {
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
      errno = 0;
      Visitor visitor = accept_next(listener);
      if (visitor.socket.valid()) {
        visitor.tls = tls;
        admit(std::move(visitor));
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        on_no_descriptor();
        return;
      } else if (errno != ECONNABORTED && errno != EINTR) {
        return;
      }
    }
  }

  void on_no_descriptor() {
    log(LogLevel::kWarning, "http", "a connection waits: the process has no descriptor left");
    if (!make_room(nullptr)) {
      accepting_ = false;
      accept_again_ = Clock::now() + kPauseWithoutDescriptors;
      listen_at_places(EPOLL_CTL_MOD, 0);
    }
  }

  void admit(Visitor visitor) {
    const bool own_full = links_.count(visitor.address) >= limits_.max_per_address;
    const bool full = links_.size() >= limits_.max_connections;
    if ((own_full && !make_room(&visitor.address)) || (!own_full && full && !make_room(nullptr))) {
      turn_away(visitor);
      return;
    }
    made_.add();
    const std::uint64_t id = next_id_++;
    const HttpLink& link =
        links_.add(id, std::make_unique<HttpLink>(std::move(visitor), id, shared_));
    listen_for(EPOLL_CTL_ADD, link.socket(), link.interest(), id);
  }

  /// Closes the connection, of that address or of any, that has waited longest without having sent
  /// a whole head. False: there is none.
  bool make_room(const std::string* address) {
    const std::uint64_t oldest = links_.oldest_spare(address);
    if (oldest != 0) {
      drop({oldest});
    }
    return oldest != 0;
  }

  void turn_away(const Visitor& visitor) {
    const HttpReply reply = handlers_.refuse(
        visitor.address, 503, "too many connections: each has a request in progress; try again");
    if (visitor.tls != nullptr) {
      return;  // It has not shaken hands, and could not read it.
    }
    const std::string bytes = response_bytes(reply, {.keep_alive = false});
    // It fits the buffer of a new connection; a client that is gone misses nothing.
    [[maybe_unused]] const ssize_t sent =
        ::send(visitor.socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(visitor.socket.get(), SHUT_WR);
  }

  const HttpHandlers handlers_;
  const HttpLimits limits_;
  const Fd epoll_;
  const std::shared_ptr<HttpMailbox> mailbox_ = std::make_shared<HttpMailbox>();
  const HttpLink::Server shared_;
  std::shared_ptr<const TlsContext> tls_;  // of listener_; null: it speaks no TLS
  Listener listener_;                      // invalid where there is no address
  std::optional<SocketPlace> place_;       // until the end
  int port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> rounds_ = 0;
  MetricCell& open_ = metric_cell(Metric::kConnections);
  MetricCell& made_ = metric_cell(Metric::kConnectionsMade);
  bool accepting_ = true;  // false: until accept_again_, there being no descriptor
  Clock::time_point accept_again_;
  std::uint64_t next_id_ = kFirstLink;
  HttpLinks links_;
  std::array<std::uint64_t, kSentTogether> changed_{};  // links since send_all(), changes_ of them
  std::size_t changes_ = 0;
  ShortWait pause_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> bind_http(const HttpPlaces& places, HttpHandlers handlers,
                                              const HttpLimits& limits) {
  auto server = std::make_unique<EpollServer>(std::move(handlers), limits);
  WS_CHECK(server->bind(places));
  return server;
}

}  // namespace ws::server
