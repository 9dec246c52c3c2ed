// tests/lift/kernels/barrier_ring.cu, changed as a test wants it, and its lift without a GPU.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/tool_bench.h"

namespace ws::test {

/// Texts that the source has once, and what takes their place; in this order.
using Edits = std::vector<std::pair<std::string, std::string>>;

/// REQUIREs each text.
std::string edited(std::string source, const Edits& edits);

/// The source, edited.
std::string ring_source(const Edits& edits = {});

/// The same with another end, from the statement on that finds a thread's lane: what stores a tile,
/// and the ends of the loop, the branch, the kernel and the namespace.
std::string ring_source_with_end(const std::string& end, const Edits& edits = {});

/// The kernel's other parts.
struct RingForm {
  Json workload = {{"m", 256}, {"n", 256}, {"k", 320}};
  Json args = {"tmA", "tmB", "C", "m", "n", "k"};
  Json more_maps = Json::array();  ///< Tensor maps beside those of A and B.
  Json more_problem_args = Json::array();
};

struct LiftedRing {
  Json lift;  ///< The whole answer of lift_to_ir.
  std::string problem_id;
  Json workload;

  /// The answer of verify_ir on the program. REQUIREs that there is one.
  [[nodiscard]] Json verified(const std::string& mode, int schedules) const;
};

LiftedRing lift_ring(const std::string& source, const RingForm& form = {});

}  // namespace ws::test
