// A transformation as one kernel on one device sees it: whether it applies, and a pass in words
// that name the kernel's own arguments, parameters and language.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"
#include "runtime/skills/transformation.h"

namespace ws {

/// The facts that an instruction is made from. The problem and the kernel must outlive it.
struct InstructionFacts {
  const Problem& problem;
  const Kernel& kernel;
  std::string device;                ///< "cuda:0"
  std::string arch;                  ///< "sm_90a"
  std::int64_t warp_size = 32;       ///< Threads.
  std::int64_t shared_bytes = 0;     ///< Most of a block.
  std::vector<std::string> lineage;  ///< Transformations that the kernel descends from.
};

struct RequirementState {
  std::string text;
  std::optional<bool> holds;  ///< Nothing: a machine cannot tell.
};

/// The language, the operation, then each of `requires`, in order.
std::vector<RequirementState> judge_requirements(const Transformation& transformation,
                                                 const InstructionFacts& facts);

/// The pass's text with its places filled in, code and words of other languages left out, and its
/// pitfalls and check after it.
std::string render_instruction(const Transformation& transformation, const Pass& pass,
                               const InstructionFacts& facts);

}  // namespace ws
