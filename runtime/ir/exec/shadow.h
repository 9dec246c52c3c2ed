// The uses of a buffer's parts, and whether the next use is ordered after them. Parts are boxes of
// elements, so that every byte of a strided slice is told apart from its neighbours.
#pragma once

#include <optional>
#include <vector>

#include "runtime/ir/check/type.h"
#include "runtime/ir/exec/knowledge.h"
#include "runtime/ir/syntax/diagnostics.h"

namespace ws::ir {

struct Box {
  Shape first;
  Shape count;
};

bool overlap(const Box& a, const Box& b);
/// True when `inner` lies in `outer`.
bool contains(const Box& outer, const Box& inner);

/// The engine that works for a worker; kNone: the worker itself.
enum class Engine : std::uint8_t { kNone, kTma, kWgmma, kCpAsync };

/// The accesses that a write replaced: the write before it, and the workers that had read it since.
struct Replaced {
  bool some = false;
  Engine engine = Engine::kNone;
  std::size_t worker = 0;
  std::uint32_t epoch = 0;
  std::uint32_t op = 0;
  std::uint64_t at = 0;
  std::uint64_t readers = 0;  ///< One bit a worker.
};

/// Atomic operations commute with those of the same kind.
enum class Atomic : std::uint8_t { kNone, kAdd, kMax };

struct Access {
  Box box;
  std::vector<std::size_t> axes;  ///< The buffer's dimensions larger than 1, as they are looked at.
  bool write = false;
  Atomic atomic = Atomic::kNone;
  Engine engine = Engine::kNone;
  std::size_t worker = 0;   ///< The worker that made or started it.
  std::uint32_t epoch = 0;  ///< The epoch of the worker; kNone only.
  std::uint32_t op = 0;     ///< The operation of the engine.
  std::uint64_t at = 0;     ///< The block's count of accesses.
  bool registers = false;   ///< Not in memory: no proxy stands before it.
  bool gathers = false;     ///< A read of elements by other threads than those they fall to.
  bool early = false;       ///< A read that found elements nobody wrote.
  Replaced replaced;        ///< Writes only.
  std::string swizzle;      ///< Shared memory: how the bytes lie.
  SourcePlace place;

  /// True when the order of the two is no matter: reads, and atomic operations of one kind.
  [[nodiscard]] bool commutes(const Access& other) const {
    return write == other.write && atomic == other.atomic && (!write || atomic != Atomic::kNone);
  }

  /// True when `reader`, who knows `known`, still had to read what this write of another worker
  /// replaced.
  [[nodiscard]] bool came_too_early(const Knowledge& known, std::size_t reader) const;

  /// TMA and wgmma go past the plain path: the async proxy.
  [[nodiscard]] bool async_proxy() const {
    return !registers && (engine == Engine::kTma || engine == Engine::kWgmma);
  }
};

/// kThreads: the threads of one worker, which nothing but a barrier orders.
enum class Clash : std::uint8_t { kUnordered, kUnfenced, kLayout, kThreads };

struct Conflict {
  Clash clash = Clash::kUnordered;
  Access earlier;
};

class Shadow {
 public:
  /// The conflict of `access` for a worker that knows `known`; then remembers the access.
  /// @param agreed  The knowledge that all threads of the worker have; nullptr: it is one thread,
  /// or a warp.
  std::optional<Conflict> add(const Access& access, const Knowledge& known,
                              const Knowledge* agreed = nullptr);

  /// The latest plain write to `box` by `worker` after `at`.
  [[nodiscard]] std::optional<Access> written_since(const Box& box, std::size_t worker,
                                                    std::uint64_t at) const;

  [[nodiscard]] const std::vector<Access>& accesses() const { return accesses_; }

 private:
  std::vector<Access> accesses_;
};

}  // namespace ws::ir
