// Scaled dot-product attention as a graph of cuDNN's operations: the pattern that its flash
// attention is found by.
#pragma once

#include <array>
#include <vector>

#include "runtime/device/cuda/library/cudnn.h"
#include "runtime/device/library_run.h"

namespace ws::cuda {

/// The tensors that a run gets addresses for, by the ids that they have in the graph.
struct AttentionIds {
  static constexpr std::int64_t kQ = 1;
  static constexpr std::int64_t kK = 2;
  static constexpr std::int64_t kV = 3;
  static constexpr std::int64_t kO = 4;
  static constexpr std::int64_t kScale = 5;   ///< A float of the host.
  static constexpr std::int64_t kHidden = 6;  ///< The same, in the place of hidden scores; causal.
  static constexpr std::int64_t kFirstOther = 100;
};

/// The graph, finished. @param handle  Of the device that it is for; null where the heuristic is
/// told of one. @errors As Cudnn::check().
Result<CudnnObject> attention_graph(const Cudnn& library, CudnnHandle handle,
                                    const AttentionCall& call);

}  // namespace ws::cuda
