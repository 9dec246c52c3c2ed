// Counts requests by method, and calls by tool, for those who operate the server.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/call_context.h"
#include "runtime/base/metrics.h"

namespace ws::server {

/// Any thread. What is counted for a request takes no lock and no memory.
class RequestCounts {
 public:
  /// @param methods, tools  All names that may be counted.
  RequestCounts(std::span<const std::string_view> methods, std::span<const std::string> tools);

  /// A request that was answered.
  /// @param outcome  As Reply has it. @param tool  Empty: it called none that there is.
  void answered(std::string_view method, std::string_view tool, std::string_view outcome,
                Clock::duration spent) const noexcept;

  /// A message that was refused before its method was known.
  void refused() const noexcept { refused_.add(); }

 private:
  /// ok, each kind of a tool's error, protocol.
  static constexpr std::size_t kOutcomes = 12;
  using Cells = std::array<MetricCell*, kOutcomes>;

  struct Tool {
    Cells outcomes{};
    MetricHistogram* seconds = nullptr;
  };

  static std::size_t outcome_of(std::string_view outcome) noexcept;
  static Cells cells_of(Metric metric, std::string_view name);

  std::map<std::string, Cells, std::less<>> methods_;
  std::map<std::string, Tool, std::less<>> tools_;
  MetricCell& refused_;
};

}  // namespace ws::server
