// Hands a kernel over to other people's programs: as CUDA with a host launcher, as an extension of
// PyTorch, as a file for CuPy or Triton. Every form is source that its reader can build and check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/handover/proof.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/plan/workloads.h"
#include "runtime/kernel/problem.h"

namespace ws {

enum class HandoverForm : std::uint8_t { kCuda, kPytorch, kCupy, kTriton, kCuir };

/// "cuda"; the words of the wire contract.
std::string_view name_of(HandoverForm form);
std::optional<HandoverForm> parse_handover_form(std::string_view word);

/// One file of a hand-over.
struct HandoverFile {
  std::string path;  ///< Relative, without folders: [A-Za-z0-9_.]+
  std::string text;  ///< UTF-8.
};

/// The kernel that is handed over, as it was judged.
struct Handover {
  const Problem& problem;
  const Kernel& kernel;
  Params params;  ///< A value for each.
  Workload
      workload;  ///< The sizes that a first run uses; specialised dims are compiled in as here.
  Proof proof;
};

/// The files of a form, the one with the kernel first.
/// @param cuir  kCuir: the program that the kernel was lifted to; else not looked at.
/// @errors kUnsupported: the form cannot have the kernel, with the reason; kInvalidArgument: the
///         plan fails. Any thread.
Result<std::vector<HandoverFile>> hand_over(const Handover& handover, HandoverForm form,
                                            const std::string& cuir = {});

}  // namespace ws
