#include "runtime/handover/common_files.h"

#include <algorithm>
#include <utility>

#include "runtime/handover/launcher.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

/// Roundings of an output's type that a right kernel may be off by: its sums take another order,
/// which shows in wide types, and a module rounds in between to narrow ones.
constexpr double kRoundings = 256;
constexpr double kNarrowRoundings = 8;

std::string dim_range(const DimSpec& dim) {
  if (dim.open) {
    return std::to_string(dim.min) + " to " + std::to_string(dim.max) +
           (dim.multiple_of > 1 ? " in steps of " + std::to_string(dim.multiple_of) : "");
  }
  std::string listed;
  for (const std::int64_t value : dim.values) {
    listed += (listed.empty() ? "" : ", ") + std::to_string(value);
  }
  return listed;
}

std::string header_text(const Handover& handover, const std::string& space) {
  return provenance_comment(handover, "// ") +
         "#pragma once\n\n#include <cuda_runtime_api.h>\n\n#include <cstdint>\n\nnamespace " +
         space + " {\n\n" + launcher_declaration(handover.problem) + "\n}  // namespace " + space +
         "\n";
}

/// The device's code with its host side behind it.
Result<std::string> source_text(const Handover& handover, const Kernel& kernel,
                                const Params& params, const std::string& space,
                                const std::string& header) {
  WS_TRY(const RenderedSource rendered, render(kernel, {}, params));
  WS_TRY(const std::string definition, launcher_definition(handover.problem, kernel, params));
  std::string text = provenance_comment(handover, "// ") + launcher_prelude() + "\n#include \"" +
                     header + "\"\n\n";
  text += rendered.macros.empty() ? "" : rendered.macros + "\n";
  return text + rendered.source + "\n\nnamespace " + space + " {\n\n" + definition +
         "\n}  // namespace " + space + "\n";
}

}  // namespace

std::string handover_name(const Kernel& kernel) {
  std::string name = "warpsmith_";
  for (const char c : kernel.name.empty() ? std::string("kernel") : kernel.name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

std::string provenance_comment(const Handover& handover, const std::string& mark) {
  const Provenance& provenance = handover.provenance;
  std::string text =
      mark + "Kernel " + handover.kernel.id + " for the problem " + handover.problem.id + ".\n";
  text += mark +
          (provenance.evidence_id.empty()
               ? std::string("It was not verified.")
               : "It passed validation " + provenance.evidence_id + " (level " + provenance.level +
                     ", device " + provenance.device + ").") +
          "\n";
  for (const DimSpec& dim : handover.problem.dims) {
    text += mark + "Size " + dim.name + ": " + dim_range(dim) + ".\n";
  }
  for (const auto& [name, value] : handover.params) {
    text += mark + "Parameter " + name + ": " + std::to_string(value) + ".\n";
  }
  return text + mark +
         "The kernel's own text below is its author's, who decides about its licence; the code "
         "around it\n" +
         mark + "may be used under the Apache License 2.0.\n";
}

bool needs_hopper(const Kernel& kernel) {
  const auto has = [&](const char* word) { return kernel.source.find(word) != std::string::npos; };
  const bool clusters =
      std::any_of(kernel.launches.begin(), kernel.launches.end(),
                  [](const LaunchSpec& launch) { return !launch.cluster.empty(); });
  return !kernel.tensor_maps.empty() || clusters || has("wgmma") || has("mbarrier") ||
         has("setmaxnreg");
}

std::vector<std::string> nvcc_options(const Kernel& kernel) {
  std::vector<std::string> options = kernel.options;
  const bool says_version =
      std::any_of(options.begin(), options.end(),
                  [](const std::string& each) { return each.find("-std") != std::string::npos; });
  if (!says_version) {
    options.emplace_back("-std=c++20");
  }
  options.emplace_back("--expt-relaxed-constexpr");
  return options;
}

double relative_tolerance(const Problem& problem, const ArgSpec& arg) {
  const std::optional<Tolerance>& said = arg.tolerance ? arg.tolerance : problem.tolerance;
  if (said && said->rtol) {
    return *said->rtol;
  }
  const double roundings = size_of(arg.type) < 4 ? kNarrowRoundings : kRoundings;
  return is_float(arg.type) ? std::min(0.1, roundings * unit_roundoff(arg.type)) : 0;
}

Result<std::vector<HandedFile>> common_files(const Handover& handover) {
  const Kernel& kernel = handover.kernel;
  const std::string space = handover_name(kernel);
  std::vector<HandedFile> files;
  WS_TRY(std::string source, source_text(handover, kernel, handover.params, space, "kernel.h"));
  files.push_back({"kernel.cu", std::move(source)});
  files.push_back({"kernel.h", header_text(handover, space)});
  for (const auto& [name, text] : kernel.headers) {
    files.push_back({"headers/" + name, text});
  }
  if (handover.problem.reference != nullptr) {
    Kernel reference = *handover.problem.reference;
    reference.macros = "#define acc_t double\n" + reference.macros;
    WS_TRY(std::string text, source_text(handover, reference, reference.defaults,
                                         space + "_reference", "reference.h"));
    files.push_back({"reference.cu", std::move(text)});
    files.push_back({"reference.h", header_text(handover, space + "_reference")});
  }
  return files;
}

}  // namespace ws
