#include "tools/programs/timeline.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "tools/answer/envelope.h"

namespace ws {
namespace {

constexpr std::size_t kMostName = 60;  // Bytes.
constexpr std::int64_t kNotAmongThem = -1;

/// In a cluster the names of workers say their blocks, too.
bool is_named(const std::string& worker, const std::string& name) {
  return worker == name || worker.starts_with(name + " of block ");
}

/// The last event at the line among the first `end`; of that worker where one is named.
std::int64_t last_at(const ProgramFinding& finding, std::int64_t line, std::size_t end,
                     const std::string& worker) {
  for (std::size_t i = end; line > 0 && i > 0; --i) {
    const ProgramEvent& event = finding.events[i - 1];
    if (event.line == line && (worker.empty() || is_named(finding.workers[event.worker], worker))) {
      return static_cast<std::int64_t>(i) - 1;
    }
  }
  return kNotAmongThem;
}

}  // namespace

Json timeline_form(const ProgramFinding& finding, std::size_t most) {
  const std::size_t count = finding.events.size();
  if (count == 0) {
    return nullptr;
  }
  const std::int64_t at = last_at(finding, finding.line, count, finding.worker);
  const std::size_t before = at < 0 ? count : static_cast<std::size_t>(at);
  const std::int64_t other = last_at(finding, finding.other_line, before, {});
  std::size_t first = count - std::min(count, most);
  if (other >= 0) {
    first = std::min(first, static_cast<std::size_t>(other));
  }
  Json events = Json::array();
  for (std::size_t i = first; i < count; ++i) {
    const ProgramEvent& event = finding.events[i];
    events.push_back(
        Json::array({event.worker, event.kind, quoted(event.object, kMostName), event.line}));
  }
  Json workers = Json::array();
  for (const std::string& name : finding.workers) {
    workers.push_back(quoted(name, kMostName));
  }
  const auto shifted = [first](std::int64_t index) {
    const std::int64_t from = static_cast<std::int64_t>(first);
    return index < from ? kNotAmongThem : index - from;
  };
  return {{"workers", std::move(workers)},
          {"events", std::move(events)},
          {"at", shifted(at)},
          {"other", shifted(other)}};
}

}  // namespace ws
