// The last things that the workers and engines of a cluster did, for the picture of a finding.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

enum class EventKind : std::uint8_t {
  kRead,      ///< A plain read of shared or global memory.
  kWrite,     ///< A plain write there.
  kCopy,      ///< An asynchronous copy was started;
  kCopied,    ///< it happened.
  kProduct,   ///< An asynchronous product was started;
  kComputed,  ///< it happened.
  kExpect,    ///< Bytes were announced to a barrier.
  kArrive,
  kWait,  ///< A wait for a barrier began;
  kPass,  ///< it ended.
  kWaitGroup,
};

/// "read", "copied", "wait_group".
std::string_view word_of(EventKind kind);

/// One event. Its place in a list is its time: one comes after another.
struct TraceEvent {
  std::size_t worker = 0;  ///< Its number; of an engine's event that of the worker who started it.
  EventKind kind = EventKind::kRead;
  std::string object;  ///< "sK[1]", "full[0]"; may be empty.
  std::uint32_t line = 0;
};

/// One thread.
class Trace {
 public:
  static constexpr std::size_t kMostEvents = 64;

  void note(std::size_t worker, EventKind kind, const std::string& object, SourcePlace place);

  /// The last events, in their order.
  [[nodiscard]] std::vector<TraceEvent> last() const;

 private:
  std::array<TraceEvent, kMostEvents> ring_;
  std::size_t noted_ = 0;  // All that ever were.
};

}  // namespace ws::ir
