// A kernel as files that work without warpsmith: a program of its own, or an extension of PyTorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

enum class HandoverForm : std::uint8_t { kCuda, kPytorch };

/// "cuda", "pytorch". Nothing: there is no such form.
std::optional<HandoverForm> handover_form_of(std::string_view name);

struct HandedFile {
  std::string path;  ///< Relative, in the folder that the files belong into.
  std::string text;
};

/// The facts that go with the kernel. The texts are ids and words of ours.
struct Provenance {
  std::string evidence_id;  ///< The newest validation that it passed; empty: there is none.
  std::string level;
  std::string device;
};

struct Handover {
  const Problem& problem;
  const Kernel& kernel;
  Params params;
  Provenance provenance;
};

/// The files, the one to read first in front. Dims that the kernel is specialised for are those of
/// the problem's first workload. The host code computes grids, sizes and tensor maps
/// from the dims as the plan does, and refuses dims outside the problem's ranges and kernels'
/// constraints.
/// @errors kUnsupported: a language other than CUDA, or an output in a form that cannot be handed
/// over; kInvalidArgument: an expression fails.
Result<std::vector<HandedFile>> hand_over(const Handover& handover, HandoverForm form);

}  // namespace ws
