// Numbers that a server counts for those who operate it, in the text format of Prometheus 0.0.4.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kHistogram };

enum class Metric : std::uint8_t {
#define WS_METRIC(id, name, kind, labels, help) id,
#include "runtime/base/metrics.def"
#undef WS_METRIC
};

struct MetricSpec {
  std::string_view name;
  MetricKind kind = MetricKind::kGauge;
  std::string_view labels;  ///< Their names, divided by commas; empty: it has none.
  std::string_view help;
};

/// In the order of Metric.
std::span<const MetricSpec> metric_specs();

/// One counter or gauge. Any thread; takes no lock and no memory.
class MetricCell {
 public:
  void add(std::int64_t amount = 1) noexcept {
    value_.fetch_add(amount, std::memory_order_relaxed);
  }

  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

  [[nodiscard]] std::int64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> value_ = 0;
};

/// How often something took how long. Any thread; takes no lock and no memory.
class MetricHistogram {
 public:
  /// The upper bounds of the buckets but the last, which has none. [seconds]
  static constexpr std::array kBounds = {0.001, 0.005, 0.01, 0.05, 0.1, 0.5,
                                         1.0,   5.0,   10.0, 30.0, 60., 300.};

  void observe(std::chrono::duration<double> time) noexcept;

  /// How many were at most kBounds[bucket], or above all bounds; each is counted once.
  [[nodiscard]] std::uint64_t count(std::size_t bucket) const noexcept {
    return counts_.at(bucket).load(std::memory_order_relaxed);
  }

  [[nodiscard]] double sum_seconds() const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::uint64_t> sum_us_ = 0;
};

/// The cell of a metric with these values of its labels, in their order; made by the first call.
/// It lives as long as the process. Takes a lock: whoever counts often keeps the reference.
MetricCell& metric_cell(Metric metric, std::initializer_list<std::string_view> labels = {});
MetricHistogram& metric_histogram(Metric metric, std::initializer_list<std::string_view> labels);

/// A value that is looked up when somebody asks.
struct MetricSample {
  Metric metric = Metric::kBuildInfo;
  std::vector<std::string> labels;  ///< Values, in the order of their names.
  double value = 0;
};

/// The counted values of a metric that is no histogram. Any thread.
std::vector<MetricSample> counted(Metric metric);

/// All metrics: what was counted, and `looked_up`. Any thread.
std::string metrics_text(const std::vector<MetricSample>& looked_up);

/// The list of all metrics as a table of Markdown, for the documents.
std::string metrics_table();

}  // namespace ws
