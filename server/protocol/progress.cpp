#include "server/protocol/progress.h"

#include <chrono>
#include <cstdint>
#include <utility>

namespace ws::server {
namespace {

constexpr auto kShortestGap = std::chrono::milliseconds(200);
constexpr double kSmallestStep = 1e-6;

}  // namespace

ProgressReporter::ProgressReporter(Json token, NotifyFn notify)
    : token_(std::move(token)),
      notify_(std::move(notify)) {}

void ProgressReporter::report(const Progress& progress) {
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  const bool is_soon = last_ >= 0 && now - sent_at_ < kShortestGap;
  if (!notify_ || (is_soon && !progress.is_result)) {
    return;
  }
  sent_at_ = now;
  send(progress.fraction > last_ ? progress.fraction : last_ + kSmallestStep, 1, progress.message);
}

void ProgressReporter::step(double done, double total) {
  const std::lock_guard lock(mutex_);
  if (notify_ && done > last_) {
    send(done, total, {});
  }
}

void ProgressReporter::send(double progress, double total, const std::string& message) {
  last_ = progress;
  const auto whole = static_cast<std::int64_t>(total);
  const Json all = static_cast<double>(whole) == total ? Json(whole) : Json(total);
  Json params = {{"progressToken", token_}, {"progress", progress}, {"total", all}};
  if (!message.empty()) {
    params["message"] = message;
  }
  const Json notification = {
      {"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", params}};
  notify_(to_line(notification));
}

void ProgressReporter::close() {
  const std::lock_guard lock(mutex_);
  notify_ = nullptr;
}

}  // namespace ws::server
