#include "tools/evidence/stored_validation.h"

#include <cmath>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "runtime/kernel/plan/params.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

constexpr std::size_t kMaxRunsShown = 8;

Json run_form(const RunRecord& run) {
  Json form = {{"workload", to_json(run.workload)},
               {"distribution", run.distribution},
               {"verdict", name_of(run.verdict)},
               {"max_abs_error", rounded(run.max_abs_error)},
               {"max_rel_error", rounded(run.max_rel_error)}};
  if (!run.params.empty()) {
    form["params"] = to_json(run.params);
  }
  if (run.widened > 0) {
    form["widened"] = rounded(run.widened);
  }
  if (run.shrunk_from) {
    form["shrunk_from"] = to_json(*run.shrunk_from);
  }
  return form;
}

/// NaN and infinities have no JSON form: as words.
Json number(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  return std::isinf(value) ? Json(value > 0 ? "inf" : "-inf") : Json(value);
}

void add_mismatch(Json& body, const ValidationResult& result) {
  const Mismatch& mismatch = *result.mismatch;
  const RunRecord& run = result.runs.back();
  body["worst"] = {{"output", mismatch.output},         {"index", mismatch.worst.index},
                   {"got", number(mismatch.worst.got)}, {"want", number(mismatch.worst.want)},
                   {"workload", to_json(run.workload)}, {"distribution", run.distribution}};
  body["mismatch"] = {{"count", mismatch.count},
                      {"share", rounded(mismatch.share)},
                      {"pattern", mismatch.pattern.text},
                      {"pattern_code", mismatch.pattern.code},
                      {"hint", mismatch.pattern.hint}};
}

Json output_form(const ValidationResult& result, const Subject& subject, const DeviceInfo& device,
                 bool full) {
  Json runs = Json::array();
  // The last run is the one that decided: it is always shown.
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    if (full || i + 1 == result.runs.size() || i + 1 < kMaxRunsShown) {
      runs.push_back(run_form(result.runs[i]));
    }
  }
  Json body = {
      {"verdict", name_of(result.verdict)},
      {"kernel_id", subject.kernel.id},
      {"runs", runs},
      {"runs_total", result.runs.size()},
      {"findings", Json::array()},
      {"coverage",
       {{"declared", result.declared},
        {"run", result.runs.size()},
        {"unsupported", result.unsupported},
        {"hidden", result.hidden},
        {"hidden_skipped", result.hidden_skipped},
        {"samples_left_out", result.samples_left_out}}},
      {"reference",
       {{"kind", subject.problem.reference_kind}, {"trusted", subject.problem.reference_trusted}}},
      {"emulated", device.emulated}};
  if (!result.message.empty()) {
    body["message"] = quoted(result.message);
  }
  if (result.mismatch) {
    add_mismatch(body, result);
  }
  if (result.fault) {
    body["fault"] = to_json(*result.fault);
  }
  if (result.finding) {
    body["findings"].push_back({{"kind", name_of(*result.finding)}, {"message", result.message}});
  }
  if (!result.diagnostics.empty()) {
    body["diagnostics"] = Json::array();
    for (const Diagnostic& diagnostic : result.diagnostics) {
      body["diagnostics"].push_back(to_json(diagnostic));
    }
  }
  return body;
}

Result<ValidationLevel> parse_level(const std::string& level) {
  if (level == "quick") {
    return ValidationLevel::kQuick;
  }
  if (level == "standard") {
    return ValidationLevel::kStandard;
  }
  return fail(ErrorCode::kUnsupported, "level `" + level + "` is not available in this version",
              "use `standard`");
}

std::string key_of(const ValidationQuestion& question, const Params& params) {
  return Json{{"level", question.level},
              {"workloads", question.workloads},
              {"params", to_json(params)},
              {"param_samples", question.param_samples}}
      .dump();
}

Json from_archive(const EvidenceRow& row) {
  Json body = Json::parse(row.json, nullptr, false).value("output", Json::object());
  body["evidence_id"] = row.id;
  body["age_s"] = (unix_ms() - row.created_ms) / 1000;
  return body;
}

/// The newest validation on the device and those that are like it.
Result<std::optional<EvidenceRow>> latest_of_alike(Services& services, Device& device,
                                                   const std::string& kernel_id,
                                                   const std::string& key) {
  std::optional<EvidenceRow> newest;
  for (const Device* other : services.alike(device)) {
    WS_TRY(const DeviceInfo info, other->backend->info());
    WS_TRY(auto row, services.archive->latest_evidence(kernel_id, info.key(), "validate", key));
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
  if (row.kind != "validate" || row.kernel_id != kernel_id || !record.contains("seed")) {
    return fail(ErrorCode::kInvalidArgument,
                "`repeat` needs evidence of a validation of this kernel; " + evidence_id +
                    " is of kind " + row.kind + " of " + row.kernel_id);
  }
  return record["seed"].get<std::uint64_t>();
}

}  // namespace

Result<Json> validate_stored(Services& services, Device& device, const Subject& subject,
                             const ValidationQuestion& question, const CommonParams& common,
                             const CallContext& context) {
  ValidationRequest request;
  request.fresh = common.fresh;
  request.batch = context.batch;
  WS_TRY(request.level, parse_level(question.level));
  const Json arguments = {{"workloads", question.workloads}, {"params", question.params}};
  WS_TRY(request.workloads, requested_workloads(subject.problem, arguments));
  WS_TRY(const Params params, requested_params(subject.kernel, arguments));
  WS_TRY(const DeviceInfo info, device.backend->info());
  const std::string key = key_of(question, params);
  if (!common.fresh && question.repeat.empty()) {
    WS_TRY(const auto known, latest_of_alike(services, device, subject.kernel.id, key));
    if (known) {
      return from_archive(*known);
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
  WS_TRY(const ValidationResult result,
         validate_kernel(*device.backend, *services.host_workers, subject, request, context));
  Json body = output_form(result, subject, info, common.full);
  body["age_s"] = 0;
  if (!question.repeat.empty()) {
    // With the inputs of before a kernel that is right by luck is right again: no evidence.
    body["evidence_id"] = question.repeat;
    body["repeated"] = true;
    return body;
  }
  const Json record = {{"output", body},          {"seed", request.secret},
                       {"at", timestamp_now()},   {"arguments", arguments},
                       {"level", question.level}, {"device", device_form(info)}};
  WS_TRY(body["evidence_id"],
         services.archive->add_evidence(
             {.id = {},
              .kernel_id = subject.kernel.id,
              .problem_id = subject.problem.id,
              .device = info.key(),
              .kind = "validate",
              .key = key,
              .verdict = std::string(name_of(result.verdict)),
              .json = record.dump(-1, ' ', false, Json::error_handler_t::replace),
              .created_at = {}}));
  return body;
}

}  // namespace ws
