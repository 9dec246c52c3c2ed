#include "runtime/handover/handover.h"

#include <algorithm>
#include <utility>

#include "runtime/handover/common_files.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {

namespace {

/// The problem with the dims that are part of the kernel's code fixed to what one workload has.
Problem narrow(const Problem& problem, const Kernel& kernel, const Workload& workload) {
  Problem narrowed = problem;
  for (DimSpec& dim : narrowed.dims) {
    if (std::find(kernel.specialize.begin(), kernel.specialize.end(), dim.name) !=
        kernel.specialize.end()) {
      const std::int64_t value = workload.dims.at(dim.name);
      dim = {.name = dim.name, .values = {value}, .open = false, .min = value, .max = value};
    }
  }
  std::erase_if(narrowed.workloads, [&](const Workload& listed) {
    return std::any_of(
        kernel.specialize.begin(), kernel.specialize.end(),
        [&](const std::string& dim) { return listed.dims.at(dim) != workload.dims.at(dim); });
  });
  return narrowed;
}

}  // namespace

std::optional<HandoverForm> handover_form_of(std::string_view name) {
  if (name == "cuda") {
    return HandoverForm::kCuda;
  }
  return name == "pytorch" ? std::optional(HandoverForm::kPytorch) : std::nullopt;
}

Result<std::vector<HandedFile>> hand_over(const Handover& handover, HandoverForm form) {
  const Kernel& kernel = handover.kernel;
  if (kernel.language != "cuda") {
    return fail(ErrorCode::kUnsupported,
                kernel.id + " is written in `" + kernel.language +
                    "`; only kernels in CUDA are "
                    "handed over",
                "kernel://" + kernel.id + "/source is its text");
  }
  WS_TRY(const std::vector<Workload> listed, expand_workloads(handover.problem));
  if (listed.empty()) {
    return fail(ErrorCode::kUnsupported, handover.problem.id + " lists no sizes that are valid");
  }
  const Problem narrowed = narrow(handover.problem, kernel, listed.front());
  Params params = handover.params;
  for (const std::string& dim : kernel.specialize) {
    params[dim] = listed.front().dims.at(dim);
  }
  const Handover own{narrowed, kernel, std::move(params), handover.provenance};
  return form == HandoverForm::kCuda ? cuda_files(own) : torch_files(own);
}

}  // namespace ws
