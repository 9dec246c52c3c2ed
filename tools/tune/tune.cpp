#include "tools/tune/tune.h"

#include <utility>

#include "runtime/base/age.h"
#include "runtime/evaluate/measure/baseline.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/record.h"
#include "tools/tune/body.h"
#include "tools/tune/tune_schema.h"

namespace ws {
namespace {

constexpr const char* kKind = "tune";

Result<TuneQuestion> question_of(Services& services, const TuneParams& params) {
  TuneQuestion question;
  question.asked = params;
  WS_TRY(question.subject, load_subject(*services.archive, params.kernel_id));
  WS_TRY(question.device,
         services.device_for(params.common.device, question.subject.kernel.language));
  return question;
}

/// The newest answer to the same question; nothing where there is none that still counts.
Result<std::optional<StoredTuning>> answered_before(Services& services,
                                                    const TuneQuestion& question) {
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(const auto row, services.archive->latest_evidence(question.subject.kernel.id, info.key(),
                                                           kKind, question.key(info.key())));
  const Json record = row ? Json::parse(row->json, nullptr, false) : Json();
  if (!record.is_object() || !record.contains("output")) {
    return std::optional<StoredTuning>();
  }
  const Json& body = question.asked.common.full ? record.at("full") : record["output"];
  StoredTuning known{.conclusion = body.get<TuneConclusion>(),
                     .body = body,
                     .budget_s = question.asked.budget_s,
                     .reference_timed = can_time_reference(question.subject),
                     .evidence_id = row->id,
                     .age_s = age_in_s(row->created_ms)};
  if (known.conclusion.best) {
    WS_TRY(const auto since, known_validation(services, *question.device, question.subject,
                                              to_json(*known.conclusion.best)));
    if (since && since->verdict != Verdict::kPassed) {
      return std::optional<StoredTuning>();  // Found wrong since then.
    }
  }
  return std::optional(std::move(known));
}

Result<StoredTuning> tune_kernel(Services& services, const TuneQuestion& question,
                                 const CallContext& context) {
  WS_TRY(const TuneOutcome outcome, run_tuning(services, question, context));
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  TuneConclusion conclusion = conclusion_of(question, outcome, info);
  Json concise = tune_body(question, outcome, conclusion, false);
  Json full = tune_body(question, outcome, conclusion, true);
  WS_TRY(std::string evidence, record_evidence(*services.archive,
                                               {.subject = question.subject,
                                                .device = info,
                                                .kind = kKind,
                                                .key = question.key(info.key())},
                                               outcome.finals.verdict,
                                               {{"output", concise},
                                                {"full", full},
                                                {"seed", outcome.secret},
                                                {"device", device_form(info)}}));
  return StoredTuning{.conclusion = std::move(conclusion),
                      .body = std::move(question.asked.common.full ? full : concise),
                      .budget_s = question.asked.budget_s,
                      .reference_timed = can_time_reference(question.subject),
                      .evidence_id = std::move(evidence),
                      .age_s = 0};
}

}  // namespace

TuneTool::TuneTool(Services& services)
    : TypedJobTool(tune_schema(), services) {}

Result<ToolJob<StoredTuning>> TuneTool::job_of(Services& services, const TuneParams& params,
                                               const std::stop_token& /*stop*/) {
  WS_TRY(const TuneQuestion question, question_of(services, params));
  ToolJob<StoredTuning> job;
  if (!params.common.fresh) {
    WS_TRY(job.known, answered_before(services, question));
  }
  job.start = {.lanes = {kEvaluateLane},
               .tool = spec().name,
               .key = question.key(question.device->id),
               .common = params.common};
  job.work = [&services, question](CallContext& own) {
    return tune_kernel(services, question, own);
  };
  return job;
}

}  // namespace ws
