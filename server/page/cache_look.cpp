#include "server/page/cache_look.h"

#include "runtime/base/metrics.h"
#include "runtime/base/numbers.h"
#include "runtime/compile/store_folder.h"

namespace ws::server {
namespace {

/// A cache of 2 GiB has some ten thousand files: to count them takes a while.
constexpr std::chrono::seconds kBetweenCounts{10};
constexpr double kPercentOfHits = 100;

void add_answers(Json& form) {
  Json hits = {{"memory", 0}, {"disk", 0}, {"joined", 0}};
  double answered = 0;
  for (const MetricSample& sample : counted(Metric::kCacheHits)) {
    hits[sample.labels.front()] = static_cast<std::int64_t>(sample.value);
    answered += sample.value;
  }
  const std::int64_t misses = metric_cell(Metric::kCacheMisses).value();
  form["hits"] = std::move(hits);
  form["misses"] = misses;
  const double asked = answered + static_cast<double>(misses);
  if (asked > 0) {
    form["hit_percent"] = rounded(kPercentOfHits * answered / asked);
  }
}

}  // namespace

Result<Json> CacheLook::on_disk() {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (counted_.is_null() || now - counted_at_ > kBetweenCounts) {
    WS_TRY(const StoreUsage usage, store_usage(folder_));
    counted_ = {{"entries", usage.entries}, {"bytes", usage.bytes}, {"damaged", usage.damaged}};
    counted_at_ = now;
  }
  return counted_;
}

Result<Json> CacheLook::form() {
  WS_TRY(Json form, on_disk());
  form["running"] = running_;
  if (running_) {
    add_answers(form);
  }
  return form;
}

}  // namespace ws::server
