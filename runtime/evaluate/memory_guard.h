// One honest run: secret inputs and poison in, a launch, everything checked afterwards. The server
// does all of it on its own mapping; the worker only launches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device/fault_report.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/judge/compare.h"
#include "runtime/judge/inputs.h"
#include "runtime/judge/unordered.h"

namespace ws {

/// Fills the inputs of `buffers` (the problem's own come first) from a secret seed.
/// @errors as fill_input.
Status fill_inputs(const Problem& problem, const ResolvedPlan& plan, Distribution distribution,
                   std::uint64_t seed, double reduction_length, const Arena& arena);

/// Copies the problem's inputs from one arena to another: same problem, same workload.
void copy_inputs(const ResolvedPlan& plan, const Arena& from, const Arena& to);

/// The bytes of each buffer.
BufferBytes bytes_of(const Arena& arena);

/// The poison of one launch's shared memory, for Session: never kNoLaunch. It reveals nothing of
/// the arena's poison or of the inputs.
/// @param whose  Names the side that runs. @param launch  Tells its launches of one seed apart.
std::uint64_t launch_poison(std::uint64_t seed, std::string_view whose, std::uint64_t launch = 0);

/// The contents of outputs and scratch when a launch begins.
struct FirstContents {
  bool keep_scratch = false;  ///< Scratch stays as it is.
  bool zeros = false;         ///< Zeros in place of poison; guards have poison all the same.
  bool random_bits = false;   ///< Poison is plain, so that small numbers do not equal it by chance.
};

/// A run whose memory is watched: begin() before the launch, end() after it.
class MemoryGuard {
 public:
  /// Poisons outputs, scratch and guards, and hashes the inputs.
  MemoryGuard(const ResolvedPlan& plan, const Arena& arena, std::uint64_t seed,
              FirstContents first = {});

  /// The damage that the launch did to memory it must not touch: a verdict and a message, or
  /// nothing.
  struct Damage {
    Verdict verdict = Verdict::kOutOfBounds;  ///< Or kInputModified.
    std::string message;
    std::string buffer;
  };

  [[nodiscard]] std::optional<Damage> damage() const;

  /// The poison that buffer `index`, or its gaps, was given; null when there is none in it.
  [[nodiscard]] const Poison* poison(std::size_t index) const;

  /// True when the launch left elements of output `index` as they were. Elements of under four
  /// bytes may equal their poison by chance: of those more than half must.
  /// @param rows  Only the first so many items of its first dimension count; nothing: all of them.
  [[nodiscard]] bool unwritten(std::size_t index,
                               std::optional<std::int64_t> rows = std::nullopt) const;

 private:
  const ResolvedPlan& plan_;
  const Arena& arena_;
  std::uint64_t hash_seed_;
  std::vector<Poison> poisons_;        ///< The poison of each buffer's own bytes.
  std::vector<Poison> guard_poisons_;  ///< The poison of each buffer's guards.
  std::vector<std::uint64_t> hashes_;  ///< The hashes of the inputs; 0 for other buffers.
};

}  // namespace ws
