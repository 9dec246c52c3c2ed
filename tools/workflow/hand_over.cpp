// A kernel as files of another program, with the evidence that speaks for it.
#include <algorithm>
#include <utility>

#include "runtime/evaluate/subject.h"
#include "runtime/kernel/plan/params.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/stored_validation.h"
#include "tools/kernels/lifting.h"
#include "tools/workflow/actions.h"
#include "tools/workflow/results.h"

namespace ws {
namespace {

/// The facts about a kernel: a pass, or what proves it wrong, or nothing.
struct Known {
  std::optional<EvidenceRow> row;
  Params params;  ///< The values that it is about.
};

/// The evidence on one of the server's devices, the asked one first: there a kernel that was found
/// wrong stays wrong.
Result<std::optional<EvidenceRow>> known_here(Services& services, const Subject& subject,
                                              const std::string& device_id) {
  std::vector<Device*> devices;
  for (Device& device : services.devices) {
    devices.insert(device.id == device_id ? devices.begin() : devices.end(), &device);
  }
  std::optional<EvidenceRow> passed;
  for (Device* device : devices) {
    WS_TRY(std::optional<EvidenceRow> row,
           known_validation(services, *device, subject, Json::object()));
    if (row && row->verdict != Verdict::kPassed) {
      return row;
    }
    passed = passed ? passed : row;
  }
  return passed;
}

/// Whether all listed workloads were validated.
bool is_about_all(const Json& key) {
  return key.is_object() && key.contains("level") && key.value("workloads", Json()).empty();
}

/// The newest pass with the kernel's defaults, on any device that there is or was, else with the
/// parameters that passed last.
Result<Known> known_about(Services& services, const Subject& subject,
                          const std::string& device_id) {
  const Params& defaults = subject.kernel.defaults;
  WS_TRY(std::optional<EvidenceRow> here, known_here(services, subject, device_id));
  if (here) {
    return Known{std::move(here), defaults};
  }
  WS_TRY(
      std::optional<EvidenceRow> row,
      services.archive->latest_evidence(subject.kernel.id, "", "validate", "", Verdict::kPassed));
  const Json key = row ? Json::parse(row->key, nullptr, false) : Json();
  if (!is_about_all(key)) {
    return Known{std::nullopt, defaults};
  }
  WS_TRY(const Params params, requested_params(subject.kernel, key));
  return Known{std::move(row), params};
}

Status check_passed(const Subject& subject, const Known& known, bool allow_unverified) {
  if (allow_unverified || (known.row && known.row->verdict == Verdict::kPassed)) {
    return {};
  }
  const std::string again = R"(give "allow_unverified": true)";
  if (known.row) {
    return fail(ErrorCode::kConflict, subject.kernel.id + " is " +
                                          std::string(name_of(known.row->verdict)) + " by " +
                                          known.row->id + "; correct it, or " + again);
  }
  return fail(ErrorCode::kConflict,
              subject.kernel.id + " has no passed validation; validate it first, or " + again);
}

/// The workloads that passed, but those of other parameters. Long lists of runs are stored
/// shortened: the smallest and the largest size of each dim and, where nothing was shrunk, the
/// listed workloads are known beside them.
Result<std::vector<Workload>> workloads_of(const Subject& subject, const EvidenceRow& row,
                                           const Params& params) {
  const ValidationResult result = validation_of(row).result;
  std::vector<Workload> ran;
  for (const RunRecord& run : result.runs) {
    if (run.verdict == Verdict::kPassed && (run.params.empty() || run.params == params)) {
      ran.push_back(run.workload);
    }
  }
  if (result.verdict == Verdict::kPassed && !result.emulated) {
    WS_TRY(const std::vector<Workload> listed, expand_workloads(subject.problem));
    WS_TRY(const Coverage coverage, cover(subject.problem, subject.kernel, listed, params));
    ran.insert(ran.end(), coverage.run.begin(), coverage.run.end());
  }
  return ran;
}

/// The smallest and the largest size of each dim in any run, as they are stored.
std::vector<Workload> with_extremes(std::vector<Workload> ran, const EvidenceRow& row) {
  const ValidationResult result = validation_of(row).result;
  for (const auto& sizes : {result.smallest, result.largest}) {
    if (!sizes.empty() && !ran.empty()) {
      ran.push_back({.dims = sizes, .scalars = {}});
    }
  }
  return ran;
}

Result<Workload> first_workload(const Subject& subject, const Known& known,
                                const std::vector<Workload>& ran) {
  return ran.empty() ? compile_workload(subject, known.params)
                     : smallest_workload(subject.problem, ran);
}

/// @param ran  The workloads that the evidence covers.
Proof proof_of(const Subject& subject, const Known& known, const std::vector<Workload>& ran,
               const Workload& first) {
  Proof proof;
  if (known.row) {
    const Json record = Json::parse(known.row->json, nullptr, false);
    const Json device = record.is_object() ? record.value("device", Json::object()) : Json();
    proof.evidence_id = known.row->id;
    proof.verdict = name_of(known.row->verdict);
    proof.passed = known.row->verdict == Verdict::kPassed;
    proof.device = known.row->device;
    if (device.is_object()) {
      proof.device = device.value("name", proof.device);
      proof.arch = device.value("arch", "");
    }
  }
  proof.verified_sizes = proof.passed && !ran.empty();
  proof.ranges =
      ranges_of(subject.problem,
                proof.verified_sizes ? with_extremes(ran, *known.row) : std::vector<Workload>(),
                subject.kernel.specialize, first);
  return proof;
}

/// The whole program of the only launch.
Result<std::string> cuir_of(Services& services, const Subject& subject, const Params& params,
                            const std::stop_token& stop) {
  const auto refuse = [&subject](const std::string& why) {
    return fail(ErrorCode::kUnsupported, subject.kernel.id + " cannot be lifted to CuIR: " + why);
  };
  LiftChoice choice;
  choice.params = params;
  WS_TRY(const Lifting lifting, lift_kernel(services, subject, choice, stop));
  if (lifting.verdict != CompileVerdict::kCompiled) {
    return refuse("it does not compile: " + lifting.message);
  }
  if (!lifting.program.whole()) {
    return refuse(lifting.program.not_lifted.empty() ? "parts of it are holes"
                                                     : lifting.program.not_lifted.front().why);
  }
  return lifting.program.ir;
}

}  // namespace

Result<HandedOver> hand_over_kernel(Services& services, const WorkflowRequest& request,
                                    const std::stop_token& stop) {
  WS_TRY(const Subject subject, load_subject(*services.archive, request.ref));
  WS_TRY(const Known known, known_about(services, subject, request.device_id));
  WS_CHECK(check_passed(subject, known, request.allow_unverified));
  std::vector<Workload> ran;
  if (known.row) {
    WS_TRY(ran, workloads_of(subject, *known.row, known.params));
  }
  WS_TRY(const Workload first, first_workload(subject, known, ran));
  Handover handover{.problem = subject.problem,
                    .kernel = subject.kernel,
                    .params = known.params,
                    .workload = first,
                    .proof = proof_of(subject, known, ran, first)};
  if (request.as == HandoverForm::kFlashinfer && handover.proof.passed) {
    WS_TRY(handover.timings,
           timings_of(services, subject, known.params, validation_of(*known.row).result));
  }
  if (request.as == HandoverForm::kKernelTuner) {
    WS_TRY(handover.tuning, tuning_of(services, subject));
  }
  std::string cuir;
  if (request.as == HandoverForm::kCuir) {
    WS_TRY(cuir, cuir_of(services, subject, known.params, stop));
  }
  HandedOver told;
  told.kernel_id = subject.kernel.id;
  told.form = *request.as;
  told.evidence_id = handover.proof.evidence_id;
  told.passed = handover.proof.passed;
  WS_TRY(told.files, hand_over(handover, *request.as, cuir));
  return told;
}

Answer answer_of(const HandedOver& handed) {
  Json files = Json::array();
  for (const HandoverFile& file : handed.files) {
    files.push_back({{"path", file.path}, {"text", file.text}});
  }
  const std::string form(name_of(handed.form));
  Answer answer{
      .summary = handed.kernel_id + " as " + form + ": " + std::to_string(files.size()) +
                 (files.size() == 1 ? " file" : " files") +
                 (handed.passed ? ", verified by " + handed.evidence_id : "; NOT VERIFIED"),
      .body = {{"kernel_id", handed.kernel_id}, {"as", form}, {"files", files}},
      .next_steps = {}};
  if (!handed.evidence_id.empty()) {
    answer.body["evidence_id"] = handed.evidence_id;
  }
  if (!handed.passed) {
    answer.next_steps.push_back(
        next_step("validate", {{"kernel_id", handed.kernel_id}}, "see whether it is correct"));
  } else {
    answer.next_steps.push_back(advice("write each of `files` to a folder; `" +
                                       handed.files.front().path + "` says how it is used"));
  }
  return answer;
}

}  // namespace ws
