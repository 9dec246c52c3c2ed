#include "runtime/base/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace ws {
namespace {

using Labels = std::vector<std::string>;

constexpr std::array kSpecs = {
#define WS_METRIC(id, name, kind, labels, help) MetricSpec{name, MetricKind::kind, labels, help},
#include "runtime/base/metrics.def"
#undef WS_METRIC
};

const MetricSpec& spec_of(Metric metric) {
  return kSpecs.at(static_cast<std::size_t>(metric));
}

std::string_view kind_word(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kHistogram:
      return "histogram";
    case MetricKind::kGauge:
      break;
  }
  return "gauge";
}

struct Registry {
  std::mutex mutex;
  std::map<std::pair<Metric, Labels>, MetricCell> cells;  // guarded by mutex; never shrinks
  std::map<std::pair<Metric, Labels>, MetricHistogram> histograms;  // the same
};

Registry& registry() {
  static auto* const all = new Registry;  // Never destroyed: threads count to the end.
  return *all;
}

std::pair<Metric, Labels> key_of(Metric metric, std::initializer_list<std::string_view> labels) {
  return {metric, Labels(labels.begin(), labels.end())};
}

/// @source The exposition format: backslash, quote and line feed are escaped.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') {
      out.push_back('\\');
    }
    out.push_back(c);
  }
  return out;
}

std::string number(double value) {
  if (!std::isfinite(value)) {
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

/// `{a="x",b="y"}`; nothing where there are none.
std::string label_text(std::string_view names, const Labels& values, std::string_view bound = {}) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += text.empty() ? "{" : ",";
    text.append(name).append("=\"").append(escaped(value)).append("\"");
  };
  for (const std::string& value : values) {
    const std::size_t comma = std::min(names.find(','), names.size());
    add(names.substr(0, comma), value);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  if (!bound.empty()) {
    add("le", bound);
  }
  return text.empty() ? text : text + "}";
}

void add_line(std::string& text, const std::string& series, double value) {
  text.append(series).append(" ").append(number(value)).append("\n");
}

void add_histogram(std::string& text, const MetricSpec& spec, const Labels& labels,
                   const MetricHistogram& histogram) {
  const std::string name(spec.name);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= MetricHistogram::kBounds.size(); ++i) {
    count += histogram.count(i);
    const bool last = i == MetricHistogram::kBounds.size();
    const std::string bound = last ? "+Inf" : number(MetricHistogram::kBounds.at(i));
    add_line(text, name + "_bucket" + label_text(spec.labels, labels, bound),
             static_cast<double>(count));
  }
  const std::string own = label_text(spec.labels, labels);
  add_line(text, name + "_sum" + own, histogram.sum_seconds());
  add_line(text, name + "_count" + own, static_cast<double>(count));
}

}  // namespace

std::span<const MetricSpec> metric_specs() {
  return kSpecs;
}

void MetricHistogram::observe(std::chrono::duration<double> time) noexcept {
  const double seconds = std::max(0.0, time.count());
  const auto* const bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  counts_[static_cast<std::size_t>(bound - kBounds.begin())].fetch_add(1,
                                                                       std::memory_order_relaxed);
  constexpr double kUsInS = 1e6;
  sum_us_.fetch_add(static_cast<std::uint64_t>(seconds * kUsInS), std::memory_order_relaxed);
}

double MetricHistogram::sum_seconds() const noexcept {
  return static_cast<double>(sum_us_.load(std::memory_order_relaxed)) / 1e6;
}

MetricCell& metric_cell(Metric metric, std::initializer_list<std::string_view> labels) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.cells[key_of(metric, labels)];
}

MetricHistogram& metric_histogram(Metric metric, std::initializer_list<std::string_view> labels) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.histograms[key_of(metric, labels)];
}

std::vector<MetricSample> counted(Metric metric) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<MetricSample> samples;
  for (auto at = all.cells.lower_bound({metric, {}});
       at != all.cells.end() && at->first.first == metric; ++at) {
    samples.push_back({metric, at->first.second, static_cast<double>(at->second.value())});
  }
  return samples;
}

std::string metrics_text(const std::vector<MetricSample>& looked_up) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::string text;
  for (std::size_t i = 0; i < kSpecs.size(); ++i) {
    const auto metric = static_cast<Metric>(i);
    const MetricSpec& spec = spec_of(metric);
    const std::string name(spec.name);
    text += "# HELP " + name + " " + std::string(spec.help) + "\n# TYPE " + name + " " +
            std::string(kind_word(spec.kind)) + "\n";
    for (auto at = all.cells.lower_bound({metric, {}});
         at != all.cells.end() && at->first.first == metric; ++at) {
      add_line(text, name + label_text(spec.labels, at->first.second),
               static_cast<double>(at->second.value()));
    }
    for (auto at = all.histograms.lower_bound({metric, {}});
         at != all.histograms.end() && at->first.first == metric; ++at) {
      add_histogram(text, spec, at->first.second, at->second);
    }
    for (const MetricSample& sample : looked_up) {
      if (sample.metric == metric) {
        add_line(text, name + label_text(spec.labels, sample.labels), sample.value);
      }
    }
  }
  return text;
}

std::string metrics_table() {
  std::string text = "| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n";
  for (const MetricSpec& spec : kSpecs) {
    text.append("| `").append(spec.name).append("` | ").append(kind_word(spec.kind)).append(" | ");
    text.append(spec.labels).append(" | ").append(spec.help).append(" |\n");
  }
  return text;
}

}  // namespace ws
