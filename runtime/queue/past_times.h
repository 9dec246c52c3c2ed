// How long work of each kind took lately.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ws {

/// Not thread-safe.
class PastTimes {
 public:
  void add(const std::string& kind, double ms) {
    std::deque<double>& times = times_[kind];
    times.push_back(ms);
    if (times.size() > kKept) {
      times.pop_front();
    }
  }

  /// The median of the last times; nothing when there was none of that kind.
  [[nodiscard]] std::optional<double> median(const std::string& kind) const {
    const auto at = times_.find(kind);
    if (at == times_.end() || at->second.empty()) {
      return std::nullopt;
    }
    std::vector<double> sorted(at->second.begin(), at->second.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  static constexpr std::size_t kKept = 31;

  std::map<std::string, std::deque<double>> times_;
};

}  // namespace ws
