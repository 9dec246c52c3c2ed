#include "runtime/ir/exec/trace.h"

#include <algorithm>

namespace ws::ir {

std::string_view word_of(EventKind kind) {
  constexpr std::array<std::string_view, 11> kWords = {"read",    "write",    "copy",      "copied",
                                                       "product", "computed", "expect",    "arrive",
                                                       "wait",    "pass",     "wait_group"};
  return kWords.at(static_cast<std::size_t>(kind));
}

void Trace::note(std::size_t worker, EventKind kind, const std::string& object, SourcePlace place) {
  TraceEvent& event = ring_.at(noted_++ % kMostEvents);
  event.worker = worker;
  event.kind = kind;
  event.object = object;
  event.line = place.line;
}

std::vector<TraceEvent> Trace::last() const {
  std::vector<TraceEvent> events;
  for (std::size_t at = noted_ - std::min(noted_, kMostEvents); at < noted_; ++at) {
    events.push_back(ring_.at(at % kMostEvents));
  }
  return events;
}

}  // namespace ws::ir
