#include "server/protocol/progress.h"

#include <chrono>
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
  last_ = progress.fraction > last_ ? progress.fraction : last_ + kSmallestStep;
  sent_at_ = now;
  Json params = {{"progressToken", token_}, {"progress", last_}, {"total", 1}};
  if (!progress.message.empty()) {
    params["message"] = progress.message;
  }
  const Json message = {
      {"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", params}};
  notify_(to_line(message));
}

void ProgressReporter::close() {
  const std::lock_guard lock(mutex_);
  notify_ = nullptr;
}

}  // namespace ws::server
