// One of two kernels of tiles whose programs are compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/device/tile/tile_image.h"
#include "runtime/evaluate/binding/binding.h"
#include "runtime/evaluate/prepared.h"
#include "runtime/evaluate/subject.h"
#include "runtime/ir/translation/facts.h"

namespace ws {

/// A buffer under the name that both kernels' facts use.
struct CommonBuffer {
  std::string name;
  bool moved = false;  ///< It lies in another order than in the judged kernel's problem.
  std::map<std::int64_t, std::int64_t> strides;  ///< From its own to those of that problem.
};

using CommonBuffers = std::map<std::string, CommonBuffer>;

/// One of the two kernels.
struct KernelSide {
  const Subject* subject;
  Compiled compiled;
  TileImage image;
  CommonBuffers buffers;
};

/// The kernel compiled with its defaults; nothing where it does not compile or is none of tiles.
/// `buffers` is empty. @errors those of compile_for.
Result<std::optional<KernelSide>> open_side(Backend& backend, const Subject& subject,
                                            const Workload& workload, const std::stop_token& stop);

/// Its buffers under their own names.
CommonBuffers own_buffers(const ResolvedPlan& plan);

/// The buffers of `other` under the names of the own ones that they are bound to.
CommonBuffers other_buffers(const Binding& binding, const ResolvedPlan& own,
                            const ResolvedPlan& other);

/// The facts of the image's program `index`, with the lines of the kernel's source.
/// @param reversed  As FactsRequest. @errors kInvalidArgument: the program has a mistake.
Result<std::vector<ir::Fact>> facts_of(const KernelSide& side, std::size_t index, bool reversed);

}  // namespace ws
