// One file for nvcc: the kernel, its launcher, and a program that checks it.
#include "runtime/handover/cuda_unit.h"
#include "runtime/handover/embedded.h"
#include "runtime/handover/head.h"
#include "runtime/handover/python_reference.h"
#include "runtime/handover/self_check.h"
#include "runtime/handover/words.h"
#include "runtime/handover/writers.h"
#include "runtime/kernel/module_reference.h"

namespace ws {

Result<std::vector<HandoverFile>> cuda_files(const Handover& handover) {
  const std::string name = module_name(handover.kernel.name);
  WS_TRY(const CudaUnit unit, cuda_unit(handover));
  WS_TRY(const std::string program, self_check_text(handover));
  const std::string reason = why_not_checked(handover.problem);
  const bool in_python = reason.empty() && handover.problem.reference == nullptr;
  const std::string script = python_reference_name(name);
  const std::string compares =
      !reason.empty() ? "The program runs the kernel and compares nothing: " + reason + "."
      : in_python ? "The program compares the kernel with " + script + ", by python3 with NumPy" +
                        (has_module(handover.problem) ? " and PyTorch." : ".")
                  : "The program compares the kernel with the problem's reference.";
  const std::string head = head_of(
      handover, "// ",
      {"",
       "build:      nvcc " + nvcc_target(handover) + nvcc_options(handover.kernel) + " -o " + name +
           " " + name + ".cu",
       "run:        ./" + name + " [NAME=VALUE ...], where NAME is a size or a number", compares,
       "Another program calls handover::check_sizes() and handover::run_kernel()."});
  std::vector<HandoverFile> files = {
      {name + ".cu", head + unit.numbers + "\n" + std::string(handover_launch()) + "\n" +
                         (reason.empty() ? unit.reference + "\n" : "") + unit.launcher + "\n" +
                         std::string(handover_self_check()) + "\n" +
                         (in_python ? std::string(handover_python_call()) + "\n" : "") + program}};
  if (in_python) {
    files.push_back({script, python_reference_text(handover)});
  }
  return files;
}

}  // namespace ws
