#include "runtime/search/operations.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/base/message.h"

namespace ws {

std::string operations_text(const OperationCounts& counts) {
  return json_line(counts);
}

OperationCounts operations_from_text(std::string_view text) {
  OperationCounts counts;
  const nlohmann::json form = nlohmann::json::parse(text, nullptr, false);
  if (!form.is_object()) {
    return counts;
  }
  for (const auto& [kind, count] : form.items()) {
    if (!count.is_number_unsigned()) {
      return {};
    }
    counts[kind] = count.get<std::uint32_t>();
  }
  return counts;
}

std::vector<std::uint64_t> operation_runs(const OperationCounts& counts) {
  constexpr std::uint32_t kMostOfKind =
      64;  // A program that was unrolled further is still the same program.
  std::vector<std::uint64_t> runs;
  for (const auto& [kind, count] : counts) {
    for (std::uint32_t nth = 0; nth < std::min(count, kMostOfKind); ++nth) {
      runs.push_back(fast_hash(kind.data(), kind.size(), nth));
    }
  }
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

}  // namespace ws
