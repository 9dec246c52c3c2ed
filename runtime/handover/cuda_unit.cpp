#include "runtime/handover/cuda_unit.h"

#include "runtime/handover/device_code.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/host_plan.h"
#include "runtime/kernel/language.h"

namespace ws {
namespace {

constexpr const char* kReferenceSpace = "reference_code";

std::string in_handover(const std::string& text) {
  return "namespace handover {\n\n" + text + "\n}  // namespace handover\n";
}

/// Device code, and the function that launches it.
Result<std::string> runnable(const Problem& problem, const Kernel& kernel, const Workload& workload,
                             const Params& params, const std::string& who, const char* space) {
  WS_TRY(const RenderedSource source, render(kernel, workload, params));
  WS_TRY(const DeviceCode code, device_code(source, space, entries_text(source, kernel, who)));
  WS_TRY(const std::string run, run_text(problem, kernel, workload, params, who, space));
  return "// ---- The " + who + " ----\n" + code.text + "\n// ---- The launches of the " + who +
         " ----\n" + code.cleanup + in_handover(run);
}

}  // namespace

Result<CudaUnit> cuda_unit(const Handover& handover) {
  const Problem& problem = handover.problem;
  const Kernel& kernel = handover.kernel;
  if (kernel.language != "cuda") {
    const LanguageInfo* const language = find_language(kernel.language);
    return fail(ErrorCode::kUnsupported,
                kernel.id + " is in " +
                    (language == nullptr ? kernel.language : std::string(language->title)) +
                    ", and this form takes CUDA C++ only");
  }
  WS_TRY(const std::string arguments, arguments_text(problem));
  WS_TRY(const std::string sizes,
         sizes_text(problem, kernel, handover.params, handover.proof.ranges));
  CudaUnit unit;
  unit.numbers = std::string(handover_numbers()) + "\n" + in_handover(arguments + "\n" + sizes);
  const std::string maps =
      kernel.tensor_maps.empty() ? std::string() : std::string(handover_tensor_map()) + "\n";
  WS_TRY(const std::string run,
         runnable(problem, kernel, handover.workload, handover.params, "kernel", ""));
  unit.launcher = maps + run;
  if (problem.reference != nullptr) {
    const Kernel& reference = *problem.reference;
    WS_TRY(unit.reference, runnable(problem, reference, handover.workload, reference.defaults,
                                    "reference", kReferenceSpace));
  }
  return unit;
}

}  // namespace ws
