#include "runtime/archive/postgres/listener.h"

#include <poll.h>

namespace ws {
namespace {

struct NotifyDeleter {
  void operator()(PGnotify* notice) const noexcept { PQfreemem(notice); }
};

}  // namespace

Result<std::unique_ptr<NoticeEngine>> Listener::open(const PostgresTarget& target,
                                                     const std::string& channel) {
  std::unique_ptr<Listener> listener(new Listener(target));
  WS_CHECK(listener->link_.connect());
  WS_TRY([[maybe_unused]] const Rows listening, listener->link_.run("LISTEN " + channel));
  return listener;
}

std::vector<std::string> Listener::take() {
  std::vector<std::string> texts;
  while (const std::unique_ptr<PGnotify, NotifyDeleter> notice{PQnotifies(link_.get())}) {
    if (texts.empty() || texts.back() != notice->extra) {
      texts.emplace_back(notice->extra);
    }
  }
  return texts;
}

Result<std::vector<std::string>> Listener::wait(std::chrono::milliseconds most, int wake) {
  std::vector<std::string> texts = take();
  if (!texts.empty()) {
    return texts;
  }
  pollfd files[] = {{PQsocket(link_.get()), POLLIN, 0}, {wake, POLLIN, 0}};
  // A signal ends the wait too: the caller looks again.
  [[maybe_unused]] const int ready = ::poll(files, 2, static_cast<int>(most.count()));
  if (PQconsumeInput(link_.get()) == 0) {
    return fail(link_.loss("PQconsumeInput"));
  }
  return take();
}

}  // namespace ws

extern "C" void warpsmith_postgres_listen(const ws::PostgresTarget& target,
                                          const std::string& channel,
                                          std::unique_ptr<ws::NoticeEngine>& listener,
                                          ws::Error& error) {
  ws::Result<std::unique_ptr<ws::NoticeEngine>> opened = ws::Listener::open(target, channel);
  if (opened) {
    listener = *std::move(opened);
  } else {
    error = opened.error();
  }
}
