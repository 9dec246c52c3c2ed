// Notices that connections of the broker send each other; for runtime/broker only.
#pragma once

#include <string>
#include <vector>

namespace ws {

/// Ids of jobs that stand differently.
inline constexpr const char* kJobsChannel = "warpsmith_jobs";
/// For nodes: the id of a running job that nobody wants any more, or:
inline constexpr const char* kWorkChannel = "warpsmith_work";
inline constexpr const char* kSomeWork = "work";

/// As string_to_array(_, ',') reads them.
inline std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : ",") + word;
  }
  return text;
}

}  // namespace ws
