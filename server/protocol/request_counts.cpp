#include "server/protocol/request_counts.h"

#include <algorithm>

#include "runtime/base/error.h"

namespace ws::server {
namespace {

/// The words of the label: the first one where all went well, the last for errors of the protocol.
std::span<const std::string_view> outcome_words() {
  static const std::array kWords = {
      std::string_view("ok"),     word(ErrorCode::kInvalidArgument), word(ErrorCode::kNotFound),
      word(ErrorCode::kConflict), word(ErrorCode::kUnsupported),     word(ErrorCode::kBusy),
      word(ErrorCode::kTimeout),  word(ErrorCode::kCancelled),       word(ErrorCode::kDeviceLost),
      word(ErrorCode::kIo),       word(ErrorCode::kInternal),        std::string_view("protocol")};
  return kWords;
}

}  // namespace

RequestCounts::RequestCounts(std::span<const std::string_view> methods,
                             std::span<const std::string> tools)
    : refused_(metric_cell(Metric::kRequests, {"unknown", outcome_words().back()})) {
  for (const std::string_view method : methods) {
    methods_.emplace(method, cells_of(Metric::kRequests, method));
  }
  for (const std::string& tool : tools) {
    tools_.emplace(tool, Tool{.outcomes = cells_of(Metric::kToolCalls, tool),
                              .seconds = &metric_histogram(Metric::kToolSeconds, {tool})});
  }
}

RequestCounts::Cells RequestCounts::cells_of(Metric metric, std::string_view name) {
  static_assert(kOutcomes == 12);
  Cells cells{};
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    cells.at(i) = &metric_cell(metric, {name, outcome_words()[i]});
  }
  return cells;
}

std::size_t RequestCounts::outcome_of(std::string_view outcome) noexcept {
  if (outcome.empty()) {
    return 0;
  }
  const auto words = outcome_words();
  const auto at = std::find(words.begin(), words.end(), outcome);
  return at == words.end() ? words.size() - 1 : static_cast<std::size_t>(at - words.begin());
}

void RequestCounts::answered(std::string_view method, std::string_view tool,
                             std::string_view outcome, Clock::duration spent) const noexcept {
  const std::size_t how = outcome_of(outcome);
  if (const auto at = methods_.find(method); at != methods_.end()) {
    at->second[how]->add();
  } else {
    refused();
  }
  if (const auto at = tools_.find(tool); at != tools_.end()) {
    at->second.outcomes[how]->add();
    at->second.seconds->observe(spent);
  }
}

}  // namespace ws::server
