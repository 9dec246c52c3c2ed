// Lifts what all threads of a block compute to one program. Runs the block twice (block.h): to
// learn layouts, and to write.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/lift/lift.h"
#include "runtime/lift/symbolic/layouts.h"
#include "runtime/lift/symbolic/pipeline.h"

namespace ws::lift {

/// Why a kernel was not lifted as values, and at which statement.
struct Refusal {
  Range range;
  std::string why;
};

class ValueLift {
 public:
  /// All of them outlive this. @param name  Of the program's class.
  ValueLift(const Tree& tree, const LaunchInput& input, Symbols& symbols, const std::string& name)
      : tree_(tree),
        input_(input),
        symbols_(symbols),
        name_(name) {}

  /// The program; nothing: it is not understood, and `refusal` says why.
  /// @errors kCancelled, kInternal
  Result<std::optional<Program>> plain(Refusal& refusal) const;
  /// The same, where instructions of whole warps have values, too.
  Result<std::optional<Program>> of_warps(Refusal& refusal) const;
  /// The same, where loops may work on what earlier rounds have loaded, too: whatever the number of
  /// a round, and how many there are, the program has to be the same.
  Result<std::optional<Program>> of_rounds(Refusal& refusal) const;

 private:
  /// How much of a kernel is taken for values.
  struct Manner {
    bool warps = false;
    PipelineCase pipeline;
  };

  /// The first run of the block shows where variables lie, and whose values reach a store.
  struct Learned {
    std::map<ObjectId, Layout> layouts;
    std::set<ObjectId> needed;
    bool asks_for_first = false;
    bool asks_for_last = false;
  };

  Result<std::optional<Learned>> learn(const Manner& manner, Refusal& refusal) const;
  Result<std::optional<Program>> write(const Manner& manner, const Learned& learned,
                                       Refusal& refusal) const;
  Result<std::optional<Program>> program(const Manner& manner, Refusal& refusal) const;
  Result<bool> is_same_in_all(const PipelineCase& one, const Learned& learned,
                              const std::string& ir) const;

  const Tree& tree_;
  const LaunchInput& input_;
  Symbols& symbols_;
  const std::string& name_;
};

}  // namespace ws::lift
