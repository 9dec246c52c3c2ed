// Runs of a plan under a program of the device's maker that looks at each access of each thread.
// They take many times as long as plain ones, and find what a right result hides.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/arena.h"
#include "runtime/device/run_plan.h"

namespace ws {

enum class SanitizerTool : std::uint8_t {
  kMemcheck,   ///< Accesses outside allocations, and misaligned ones.
  kRacecheck,  ///< Accesses to shared memory that no barrier orders.
  kInitcheck,  ///< Reads of global memory that nobody wrote.
  kSynccheck,  ///< Barriers that are used in a way that is not defined.
  kEngine,     ///< The CPU engine's own: races on any memory, and reads that nobody wrote for.
};

inline constexpr std::array kSanitizerTools = {SanitizerTool::kMemcheck, SanitizerTool::kRacecheck,
                                               SanitizerTool::kInitcheck, SanitizerTool::kSynccheck,
                                               SanitizerTool::kEngine};

/// "memcheck", as its maker calls it; "engine".
std::string_view name_of(SanitizerTool tool);

/// A line of the kernel's text, which may be in its source, its macros or a header.
struct SanitizerPlace {
  std::string file;  ///< Empty: unknown.
  int line = 0;
  int column = 0;  ///< 0: unknown.
};

/// A mistake, once for each pair of places however often it was made.
struct SanitizerRecord {
  enum class Kind : std::uint8_t {
    kOutOfBounds,
    kMisaligned,
    kRace,
    kUninitialised,
    kDivergentBarrier,
    kOther,
  };

  SanitizerTool tool = SanitizerTool::kMemcheck;
  Kind kind = Kind::kOther;
  std::string text;    ///< The tool's own first line.
  std::string access;  ///< "read", "write" or "".
  std::string space;   ///< "global", "shared", "local" or "".
  std::uint64_t access_bytes = 0;
  std::string entry;                    ///< The kernel, as it was compiled.
  SanitizerPlace at;                    ///< kRace: of the first access, or of the one that writes.
  std::optional<SanitizerPlace> other;  ///< The second access of a race, or another call.
  std::string other_access;             ///< kRace: as `access`.
  bool same_warp = false;               ///< kRace: of both threads.
  bool block_scope = false;             ///< kRace: one is an atomic for its block only.
  bool volatile_only = false;           ///< kRace: both are volatile, and not atomic.
  std::optional<std::array<std::uint32_t, 3>> block;  ///< Those of the first report.
  std::optional<std::array<std::uint32_t, 3>> thread;
  std::optional<std::array<std::uint32_t, 3>> other_block;  ///< kRace: of the second access.
  std::optional<std::array<std::uint32_t, 3>> other_thread;
  std::optional<std::size_t> buffer;  ///< Index into RunPlan::buffers.
  std::string variable;               ///< Shared or __device__; empty: none is known.
  std::int64_t offset = 0;            ///< In bytes, from the start of buffer or variable.
  std::uint64_t count = 1;            ///< The number of threads or accesses that were reported.
};

/// An additional interface of a Backend whose device has such a program.
class Sanitizes {
 public:
  virtual ~Sanitizes() = default;

  /// Why sanitize() would be refused: the message and what to do about it; nothing: it is not.
  /// Asks no device. Any thread.
  [[nodiscard]] virtual std::optional<Error> no_sanitizer() const = 0;

  /// The tools it has, at least one.
  [[nodiscard]] virtual std::vector<SanitizerTool> tools() const {
    return {SanitizerTool::kMemcheck, SanitizerTool::kRacecheck, SanitizerTool::kInitcheck,
            SanitizerTool::kSynccheck};
  }

  /// The build that sanitize() takes.
  [[nodiscard]] virtual Build build() const { return Build::kFast; }

  /// Runs the plan once under one tool, in a process of its own and with each buffer in an
  /// allocation of its own. The arena stays as it is; buffers that are not `given` start without
  /// contents.
  ///
  /// @param image  Of build().
  /// @param limit  From the start of the process to its end.
  /// @return No records where the tool found nothing.
  /// @errors kUnsupported: no such program is installed, or the kernel cannot be looked at;
  /// kTimeout; kDeviceLost: a process died;
  /// kCancelled; kBusy: another server times on the device.
  virtual Result<std::vector<SanitizerRecord>> sanitize(const Image& image, const RunPlan& plan,
                                                        std::shared_ptr<Arena> arena,
                                                        SanitizerTool tool,
                                                        std::chrono::milliseconds limit,
                                                        const std::stop_token& stop) = 0;
};

}  // namespace ws
