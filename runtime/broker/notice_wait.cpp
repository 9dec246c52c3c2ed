#include "runtime/broker/notice_wait.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ws {
namespace {

/// Between tries to connect.
constexpr std::chrono::milliseconds kReconnect{500};

void clear_event(const Fd& event) {
  std::uint64_t count = 0;
  // It may have been cleared before: then there is nothing to read.
  [[maybe_unused]] const ssize_t read = ::read(event.get(), &count, sizeof count);
}

void set_event(const Fd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event.get(), &one, sizeof one);
}

}  // namespace

NoticeWait::NoticeWait(std::string url, std::string channel)
    : url_(std::move(url)),
      channel_(std::move(channel)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<JobNews> NoticeWait::wait(std::chrono::milliseconds most, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { set_event(wake_); });
  JobNews news;
  if (listener_ == nullptr) {
    auto opened = listen_postgres(url_, channel_);
    if (!opened) {
      pollfd file = {wake_.get(), POLLIN, 0};
      ::poll(&file, 1, static_cast<int>(std::min(most, kReconnect).count()));
      clear_event(wake_);
      return fail(opened.error());
    }
    listener_ = *std::move(opened);
    news.missed = true;
    return news;
  }
  Result<std::vector<std::string>> texts = listener_->wait(most, wake_.get());
  clear_event(wake_);
  if (!texts) {
    listener_ = nullptr;
    return fail(texts.error());
  }
  news.ids = *std::move(texts);
  return news;
}

}  // namespace ws
