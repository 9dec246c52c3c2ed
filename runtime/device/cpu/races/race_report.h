// The races that a watched launch had, as its worker tells the server.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/device/run_plan.h"
#include "runtime/device/sanitizer.h"

namespace ws::cpu {

enum class RaceKind : std::uint8_t {
  kRace,
  kUnwritten,  ///< `first` reads what nobody wrote, and there is no `second`.
  kMask,       ///< `first` is a warp operation whose mask lacks the lane that calls it.
  kMeeting,    ///< Lanes that a mask names together meet in two calls of a reduction.
};

/// The least that has both threads of a race: what may order them. Ascending.
enum class RaceScope : std::uint8_t { kWarp, kBlock, kGrid };

/// One side of a race, or a read of memory that nobody wrote.
struct RacingAccess {
  std::uint32_t site = 0;  ///< Index into Image::sites.
  bool write = false;
  bool strong = false;  ///< Atomic or volatile.
  bool narrow = false;  ///< And so only for threads of its block.
  bool loose = false;   ///< Volatile, and no look for which its thread waits.
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
};

struct RaceRecord {
  RaceKind kind = RaceKind::kRace;
  RacingAccess first;  ///< A write.
  RacingAccess second;
  RaceScope scope = RaceScope::kWarp;  ///< The widest that was seen, and its threads.
  bool shared = false;                 ///< Shared memory.
  std::int64_t object = -1;  ///< A variable: index into Image::objects; -1: none is known.
  std::int64_t buffer = -1;  ///< Index into RunPlan::buffers; -1: none.
  std::uint64_t offset = 0;  ///< In bytes, from the start of either.
  std::uint64_t bytes = 0;   ///< The size of the access that was found to race.
  std::uint32_t step = 0;    ///< The launch of the plan.
  std::uint64_t count = 0;
};

struct RaceReport {
  std::vector<RaceRecord> records;  ///< Once for each pair of places.
  bool complete = true;             ///< False: the launch did too much to be watched to its end.
};

std::string encode(const RaceReport& report);

/// @errors kInternal: it is no report, or one of another kernel.
Result<RaceReport> decode_races(std::string_view frame, const Image& image, const RunPlan& plan);

/// The records in the form of all sanitizers. @param report  Of a run of this image and plan.
std::vector<SanitizerRecord> sanitizer_records(const RaceReport& report, const Image& image,
                                               const RunPlan& plan);

}  // namespace ws::cpu
