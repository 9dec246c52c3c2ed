#include "tools/evidence/stored_validation.h"

#include "runtime/base/age.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/evaluate/validate/engine_check.h"
#include "runtime/kernel/language.h"
#include "runtime/kernel/plan/params.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/record.h"
#include "tools/evidence/twins.h"
#include "tools/evidence/validation_form.h"

namespace ws {
namespace {

constexpr const char* kValidateKind = "validate";

/// The schema knows the same levels.
ValidationLevel level_of(std::string_view level) {
  return level == "sanitize"   ? ValidationLevel::kSanitize
         : level == "strict"   ? ValidationLevel::kStrict
         : level == "standard" ? ValidationLevel::kStandard
                               : ValidationLevel::kQuick;
}

std::string key_of(const ValidationQuestion& question, const Params& params) {
  return Json{{"level", question.level},
              {"workloads", question.workloads},
              {"params", to_json(params)},
              {"param_samples", question.param_samples}}
      .dump();
}

/// The newest validation on the device and those that are like it.
Result<std::optional<EvidenceRow>> latest_of_alike(Services& services, Device& device,
                                                   const std::string& kernel_id,
                                                   const std::string& key) {
  std::optional<EvidenceRow> newest;
  for (const Device* other : services.alike(device)) {
    WS_TRY(const DeviceInfo info, other->backend->info());
    WS_TRY(auto row, services.archive->latest_evidence(kernel_id, info.key(), kValidateKind, key));
    if (row && (!newest || row->created_ms > newest->created_ms)) {
      newest = std::move(row);
    }
  }
  return newest;
}

/// The seed of an evidence's record.
Result<std::uint64_t> seed_of(Archive& archive, const std::string& evidence_id,
                              const std::string& kernel_id) {
  WS_TRY(const EvidenceRow row, archive.evidence(evidence_id));
  const Json record = Json::parse(row.json, nullptr, false);
  if (row.kind != kValidateKind || row.kernel_id != kernel_id || !record.contains("seed")) {
    return fail(ErrorCode::kInvalidArgument,
                "`repeat` needs evidence of a validation of this kernel; " + evidence_id +
                    " is of kind " + row.kind + " of " + row.kernel_id);
  }
  return record["seed"].get<std::uint64_t>();
}

/// The answer that the archive has, with what is known of its problem now.
Result<StoredValidation> known_answer(Services& services, Device& device, const Subject& subject,
                                      const EvidenceRow& row, const CallContext& context) {
  StoredValidation found = validation_of(row);
  if (found.result.verdict == Verdict::kPassed) {
    WS_TRY(found.weak_problem, weaknesses_of(services, device, subject, context));
  }
  return found;
}

/// On a GPU the CPU engine looks at the kernel, too, if it takes its language.
Result<ValidationResult> run_validation(Services& services, Device& device, const DeviceInfo& info,
                                        const Subject& subject, const ValidationRequest& request,
                                        const CallContext& context) {
  if (info.emulated || is_shader_language(subject.kernel.language)) {
    return validate_kernel(*device.backend, *services.host_workers, subject, request, context);
  }
  WS_TRY(Device* const engine, services.device(kEngineDevice));
  return validate_with_engine(*device.backend, *engine->backend, *services.host_workers, subject,
                              request, context);
}

}  // namespace

Result<Weaknesses> weaknesses_of(Services& services, Device& device, const Subject& subject,
                                 const CallContext& context) {
  return services.admissions->get(*device.backend, *services.host_workers, subject.problem,
                                  context.stop);
}

StoredValidation validation_of(const EvidenceRow& row) {
  const Json record = Json::parse(row.json, nullptr, false);
  StoredValidation found = record.at("output").get<StoredValidation>();
  found.kernel_id = row.kernel_id;
  found.evidence_id = row.id;
  found.age_s = age_in_s(row.created_ms);
  return found;
}

Result<StoredValidation> validate_stored(Services& services, Device& device, const Subject& subject,
                                         const ValidationQuestion& question,
                                         const CommonParams& common, const CallContext& context) {
  ValidationRequest request;
  request.fresh = common.fresh;
  request.batch = context.batch;
  request.level = level_of(question.level);
  const Json arguments = {{"workloads", question.workloads}, {"params", question.params}};
  WS_TRY(request.workloads, requested_workloads(subject.problem, arguments));
  WS_TRY(const Params params, requested_params(subject.kernel, arguments));
  WS_TRY(const DeviceInfo info, device.backend->info());
  const std::string key = key_of(question, params);
  if (!common.fresh && question.repeat.empty()) {
    WS_TRY(const auto known, latest_of_alike(services, device, subject.kernel.id, key));
    if (known) {
      return known_answer(services, device, subject, *known, context);
    }
  }
  request.secret = random_u64();
  if (!question.repeat.empty()) {
    WS_TRY(request.secret, seed_of(*services.archive, question.repeat, subject.kernel.id));
  }
  request.params = {params};
  WS_TRY(const std::vector<Workload> listed, expand_workloads(subject.problem));
  WS_TRY(const std::vector<Params> samples, sample_points(subject.problem, subject.kernel, listed,
                                                          question.param_samples, request.secret));
  request.params.insert(request.params.end(), samples.begin(), samples.end());
  StoredValidation found;
  found.kernel_id = subject.kernel.id;
  WS_TRY(found.result, run_validation(services, device, info, subject, request, context));
  found.result.message = ws::quoted(found.result.message);
  if (!common.full) {
    shorten_runs(found.result);
  }
  if (found.result.verdict == Verdict::kPassed) {
    WS_TRY(found.weak_problem, weaknesses_of(services, device, subject, context));
  }
  if (!question.repeat.empty()) {
    // With the inputs of before a kernel that is right by luck is right again: no evidence.
    found.evidence_id = question.repeat;
    found.repeated = true;
    return found;
  }
  Json record = {{"output", found},
                 {"seed", request.secret},
                 {"arguments", arguments},
                 {"level", question.level},
                 {"device", device_form(info)}};
  if (Json map = mismatch_map_form(found.result); !map.is_null()) {
    record["mismatch_map"] = std::move(map);
  }
  WS_TRY(found.evidence_id,
         record_evidence(*services.archive,
                         {.subject = subject, .device = info, .kind = kValidateKind, .key = key},
                         found.result.verdict, std::move(record)));
  if (facts_of(found.result.verdict).proves_wrong) {
    WS_CHECK(note_wrong(services, subject));
  }
  return found;
}

}  // namespace ws
