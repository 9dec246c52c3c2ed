#include "tools/tune/tune.h"

#include "runtime/base/clock.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/record.h"
#include "tools/tune/answer.h"
#include "tools/tune/tune_schema.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

constexpr const char* kKind = "tune";

/// The whole answer. @param age_ms  Of the evidence.
Json told(Json body, const TuneQuestion& question, const std::string& evidence,
          std::int64_t age_ms) {
  body["evidence_id"] = evidence;
  body["age_s"] = age_ms / 1000;
  body["links"] = kernel_links(question.subject.kernel.id);
  body["links"].push_back({{"rel", "report"}, {"uri", "evidence://" + evidence}});
  const std::string summary = tune_summary(body);
  std::vector<Json> steps = tune_steps(body, question.budget_s);
  return finished(summary, std::move(body), std::move(steps));
}

}  // namespace

TuneTool::TuneTool(Services& services)
    : spec_(parse_spec(tune_schema())),
      services_(services) {}

Result<TuneQuestion> TuneTool::question_of(const Json& arguments) {
  TuneQuestion question;
  question.common = common_params(arguments);
  question.workloads = arguments.value("workloads", Json::array());
  question.budget_s = arguments.value("budget_s", question.budget_s);
  if (arguments.contains("max_evaluations")) {
    question.max_evaluations = arguments["max_evaluations"].get<std::size_t>();
  }
  question.strategy = arguments.value("strategy", std::string(tune::strategy_names().front()));
  question.objective = arguments.value("objective", "time");
  WS_TRY(question.device, services_.device(question.common.device));
  WS_TRY(question.subject,
         load_subject(*services_.archive, arguments.at("kernel_id").get<std::string>()));
  return question;
}

Result<std::optional<Json>> TuneTool::answered_before(const TuneQuestion& question) {
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  WS_TRY(const auto row, services_.archive->latest_evidence(question.subject.kernel.id, info.key(),
                                                            kKind, question.key(info.key())));
  const Json record = row ? Json::parse(row->json, nullptr, false) : Json();
  if (!record.is_object() || !record.contains("output")) {
    return std::optional<Json>();
  }
  const Json& best = record["output"]["best_params"];
  if (best.is_object()) {
    WS_TRY(const auto since, known_validation(services_, *question.device, question.subject, best));
    if (since && verdict_of(since->verdict) != Verdict::kPassed) {
      return std::optional<Json>();  // Found wrong since then.
    }
  }
  Json body = question.common.full ? record["full"] : record["output"];
  return std::optional<Json>(told(std::move(body), question, row->id, unix_ms() - row->created_ms));
}

Result<Json> TuneTool::run(const TuneQuestion& question, CallContext& context) {
  WS_TRY(const TuneOutcome outcome, run_tuning(services_, question, context));
  WS_TRY(const DeviceInfo info, question.device->backend->info());
  const Json concise = tune_body(question, outcome, info, false);
  const Json full = tune_body(question, outcome, info, true);
  WS_TRY(const std::string evidence, record_evidence(*services_.archive,
                                                     {.subject = question.subject,
                                                      .device = info,
                                                      .kind = kKind,
                                                      .key = question.key(info.key())},
                                                     outcome.finals.verdict,
                                                     {{"output", concise},
                                                      {"full", full},
                                                      {"seed", outcome.secret},
                                                      {"device", device_form(info)}}));
  return told(question.common.full ? full : concise, question, evidence, 0);
}

Result<Json> TuneTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    WS_TRY(const TuneQuestion question, question_of(arguments));
    if (!question.common.fresh) {
      WS_TRY(std::optional<Json> known, answered_before(question));
      if (known) {
        return *std::move(known);
      }
    }
    return run_as_job(services_, kEvaluateLane, spec_.name, question.key(question.device->id),
                      question.common, context,
                      [this, question](CallContext& own) { return run(question, own); });
  });
}

}  // namespace ws
