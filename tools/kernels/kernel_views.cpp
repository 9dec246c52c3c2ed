#include "tools/kernels/kernel_views.h"

#include "runtime/compile/sass.h"
#include "runtime/compile/toolkit.h"
#include "runtime/evaluate/prepared.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kViewLimit{20'000};

/// The keys under which evidence of an architecture is kept: a device's, or none.
std::vector<std::string> keys_of(Services& services, const std::string& arch) {
  std::vector<std::string> keys = {"none:" + arch};
  for (const Device& device : services.devices) {
    const auto info = device.backend->info();
    if (info && info->arch == arch) {
      keys.push_back(info->key());
    }
  }
  return keys;
}

/// The newest evidence of a kind that fits; nothing when none does.
Result<std::optional<EvidenceRow>> find_evidence(Services& services, const std::string& kernel_id,
                                                 const char* kind, const ViewChoice& choice) {
  Archive& archive = *services.archive;
  WS_TRY(const KernelRow kernel, archive.kernel(kernel_id));
  if (!choice.evidence.empty()) {
    WS_TRY(const EvidenceRow compile, archive.evidence(choice.evidence));
    return archive.latest_evidence(kernel.id, compile.device, kind, compile.key);
  }
  if (choice.arch.empty()) {
    return archive.latest_evidence(kernel.id, {}, kind);
  }
  std::optional<EvidenceRow> newest;
  for (const std::string& key : keys_of(services, choice.arch)) {
    WS_TRY(const auto found, archive.latest_evidence(kernel.id, key, kind));
    if (found && (!newest || found->created_ms > newest->created_ms)) {
      newest = found;
    }
  }
  return newest;
}

}  // namespace

Result<std::string> ptx_view(Services& services, const std::string& kernel_id,
                             const ViewChoice& choice) {
  WS_TRY(const auto found, find_evidence(services, kernel_id, "ptx", choice));
  return found ? Json::parse(found->json, nullptr, false).value("ptx", "") : std::string();
}

Result<std::string> sass_of(const Services& services, const Image& image) {
  const std::string tool = find_disassembler(services.options.cuda_folders);
  if (tool.empty()) {
    return fail(ErrorCode::kUnsupported, "neither nvdisasm nor cuobjdump is here",
                kNvidiaDisassemblerFix);
  }
  return disassemble({tool, services.options.executable.string()}, image.blob, kViewLimit);
}

Result<std::string> sass_view(Services& services, const std::string& kernel_id,
                              const ViewChoice& choice) {
  WS_TRY(const Subject subject, load_subject(*services.archive, kernel_id));
  // Where PTX came of a compile, so did machine code.
  WS_TRY(const auto found, find_evidence(services, kernel_id, "ptx", choice));
  if (!found) {
    return std::string("no SASS: the kernel was not compiled for an NVIDIA GPU") +
           (choice.arch.empty() ? "" : " of that architecture") + "; call compile_kernel\n";
  }
  const Json record = Json::parse(found->json, nullptr, false);
  WS_TRY(const Params params,
         requested_params(subject.kernel, {{"params", record.value("params", Json::object())}}));
  WS_TRY(const Workload workload, compile_workload(subject, params));
  WS_TRY(Backend* const backend,
         services.compiler_for(services.default_device(), record.value("arch", "")));
  WS_TRY(const Compiled compiled, compile_for(*backend, subject.problem, subject.kernel, workload,
                                              params, {.build = Build::kFast}, {}));
  if (!compiled.ok()) {
    return "no SASS: " + verdict_text(compiled.verdict, compiled.message) + "\n";
  }
  const Result<std::string> text = sass_of(services, compiled.image());
  if (!text && text.error().code == ErrorCode::kUnsupported) {
    return "no SASS: " + to_text(text.error()) + "\n";
  }
  return text;
}

Result<std::string> isa_view(Services& services, const std::string& kernel_id,
                             const ViewChoice& choice) {
  WS_TRY(const Subject subject, load_subject(*services.archive, kernel_id));
  if (!choice.arch.starts_with("gfx")) {
    return std::string("no ISA: name an AMD architecture, such as ?arch=gfx90a\n");
  }
  WS_TRY(const Workload workload, compile_workload(subject, subject.kernel.defaults));
  WS_TRY(Backend* const backend, services.compiler_for(services.default_device(), choice.arch));
  WS_TRY(const Compiled compiled,
         compile_for(*backend, subject.problem, subject.kernel, workload, subject.kernel.defaults,
                     {.build = Build::kFast}, {}));
  if (!compiled.ok()) {
    return "no ISA: " + verdict_text(compiled.verdict, compiled.message) + "\n";
  }
  const std::string tool = find_amd_disassembler();
  if (tool.empty()) {
    return "no ISA: llvm-objdump is not here; " + std::string(kAmdDisassemblerFix) + "\n";
  }
  const Result<std::string> text =
      disassemble({tool, services.options.executable.string()}, compiled.image().blob, kViewLimit);
  if (!text && text.error().code == ErrorCode::kUnsupported) {
    return "no ISA: " + to_text(text.error()) + "\n";
  }
  return text;
}

}  // namespace ws
