#include "runtime/handover/handover.h"

#include <array>

#include "runtime/handover/head.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"

namespace ws {
namespace {

struct FormName {
  HandoverForm form;
  std::string_view word;
};

constexpr std::array<FormName, 8> kForms = {{{HandoverForm::kCuda, "cuda"},
                                             {HandoverForm::kPytorch, "pytorch"},
                                             {HandoverForm::kCupy, "cupy"},
                                             {HandoverForm::kTriton, "triton"},
                                             {HandoverForm::kCuir, "cuir"},
                                             {HandoverForm::kFlashinfer, "flashinfer"},
                                             {HandoverForm::kKernelbench, "kernelbench"},
                                             {HandoverForm::kKernelTuner, "kernel-tuner"}}};

std::vector<HandoverFile> cuir_files(const Handover& handover, const std::string& program) {
  return {{module_name(handover.kernel.name) + ".cuir", head_of(handover, "# ", {}) + program}};
}

}  // namespace

std::string_view name_of(HandoverForm form) {
  return kForms.at(static_cast<std::size_t>(form)).word;
}

std::optional<HandoverForm> parse_handover_form(std::string_view word) {
  for (const FormName& known : kForms) {
    if (known.word == word) {
      return known.form;
    }
  }
  return std::nullopt;
}

Result<std::vector<HandoverFile>> hand_over(const Handover& handover, HandoverForm form,
                                            const std::string& cuir) {
  switch (form) {
    case HandoverForm::kCuda:
      return cuda_files(handover);
    case HandoverForm::kPytorch:
      return pytorch_files(handover);
    case HandoverForm::kCupy:
      return cupy_files(handover);
    case HandoverForm::kTriton:
      return triton_files(handover);
    case HandoverForm::kFlashinfer:
      return flashinfer_files(handover);
    case HandoverForm::kKernelbench:
      return kernelbench_files(handover);
    case HandoverForm::kKernelTuner:
      return kernel_tuner_files(handover);
    case HandoverForm::kCuir:
      break;
  }
  return cuir_files(handover, cuir);
}

}  // namespace ws
