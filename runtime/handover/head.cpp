#include "runtime/handover/head.h"

#include <algorithm>

#include "runtime/base/text.h"
#include "runtime/handover/words.h"

namespace ws {
namespace {

constexpr std::string_view kSpdx = "SPDX-License-Identifier:";

/// The line of the source that names a licence, from the mark on.
std::string license_of(const Kernel& kernel) {
  const std::size_t at = kernel.source.find(kSpdx);
  if (at == std::string::npos) {
    return std::string(kSpdx) + " see the kernel's author";
  }
  const std::size_t end = kernel.source.find_first_of("\r\n", at);
  std::string line = kernel.source.substr(at, end - at);
  if (const std::size_t close = line.find("*/"); close != std::string::npos) {
    line.resize(close);
  }
  return line;
}

std::string params_text(const Params& params) {
  std::string text;
  for (const auto& [name, value] : params) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  }
  return text.empty() ? "none" : text;
}

bool asks_for_hopper(const Kernel& kernel) {
  const bool launches = std::ranges::any_of(kernel.launches, [](const LaunchSpec& launch) {
    return !launch.cluster.empty() || launch.pdl;
  });
  const auto mentions = [&kernel](std::string_view word) {
    return kernel.source.find(word) != std::string::npos;
  };
  return launches || !kernel.tensor_maps.empty() || mentions("wgmma") || mentions("setmaxnreg") ||
         mentions("cluster") || mentions("mbarrier");
}

}  // namespace

std::string head_of(const Handover& handover, std::string_view mark,
                    const std::vector<std::string>& usage) {
  const Proof& proof = handover.proof;
  std::string text = comment_line(mark, "kernel:     " + handover.kernel.id);
  const auto add = [&](const std::string& line) { text += comment_line(mark, line); };
  add("problem:    " + handover.problem.id);
  if (proof.evidence_id.empty()) {
    add("evidence:   none: NOT VERIFIED");
  } else {
    add("evidence:   " + proof.evidence_id + ", " + proof.verdict +
        (proof.passed ? "" : ": NOT VERIFIED"));
    add("device:     " + proof.device + (proof.arch.empty() ? "" : " (" + proof.arch + ")"));
  }
  add(proof.verified_sizes ? "verified sizes:" : "declared sizes, which no evidence covers:");
  for (const DimRange& range : proof.ranges) {
    add("  " + range.dim + ": " + range.text());
  }
  add("parameters: " + params_text(handover.params));
  add(license_of(handover.kernel));
  for (const std::string& line : usage) {
    add(line);
  }
  return text + "\n";
}

std::string nvcc_target(const Handover& handover) {
  const std::string& known = handover.proof.arch;
  const std::string arch = known.starts_with("sm_")           ? known
                           : asks_for_hopper(handover.kernel) ? "sm_90a"
                                                              : "sm_80";
  return is_digit(arch.back()) ? "-arch=" + arch
                               : "-gencode arch=compute_" + arch.substr(3) + ",code=" + arch;
}

std::string nvcc_options(const Kernel& kernel) {
  std::string text;
  for (const std::string& option : kernel.options) {
    const bool line_info = option == "-lineinfo" || option == "--generate-line-info";
    if (option.starts_with("-std=") || option.starts_with("--std=")) {
      text += option.ends_with("20") ? " -std=c++20" : "";  // The launcher needs C++17.
    } else if (!option.starts_with("-D") && !option.starts_with("-O") && !line_info) {
      text += " " + option;
    }
  }
  return text;
}

}  // namespace ws
