#include "tools/evidence/known_validation.h"

#include <utility>

#include "runtime/base/verdict.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/twins.h"

namespace ws {
namespace {

/// Whether a validation that was not passed is about these parameters: of random points as well,
/// the run that decided names its own. Where all runs passed, a sanitizer decided: it looks at the
/// parameters that were asked for.
bool is_about(const EvidenceRow& row, const Json& key, const Json& params) {
  const Json record = Json::parse(row.json, nullptr, false);
  const Json::json_pointer runs("/output/runs");
  if (record.is_object() && record.contains(runs) && !record[runs].empty()) {
    const Json& last = record[runs].back();
    if (last.contains("params") && last.value("verdict", std::string()) != "passed") {
      return last["params"] == params;
    }
  }
  return key.value("params", Json::object()) == params;
}

/// Whether it was a pass at any level: each has the listed workloads at least.
bool is_whole_pass(const EvidenceRow& row, const Json& key, const Json& params) {
  return row.verdict == Verdict::kPassed && key.contains("level") &&
         key.value("workloads", Json()).empty() && key.value("params", Json()) == params;
}

void take_newer(std::optional<EvidenceRow>& newest, EvidenceRow& row) {
  if (!newest || row.created_ms > newest->created_ms) {
    newest = std::move(row);
  }
}

Result<ValidationHistory> evidence_of(Services& services, Device& device,
                                      const std::string& kernel_id, const Json& params) {
  ValidationHistory found;
  for (const Device* other : services.alike(device)) {
    WS_TRY(const DeviceInfo info, other->backend->info());
    WS_TRY(std::vector<EvidenceRow> rows,
           services.lines->answers(kernel_id, info.key(), "validate"));
    for (EvidenceRow& row : rows) {
      const Json key = Json::parse(row.key, nullptr, false);
      if (key.is_object() && facts_of(row.verdict).proves_wrong && is_about(row, key, params)) {
        take_newer(found.wrong, row);
      } else if (key.is_object() && is_whole_pass(row, key, params)) {
        take_newer(found.passed, row);
      }
    }
  }
  return found;
}

}  // namespace

Result<ValidationHistory> validation_history(Services& services, Device& device,
                                             const Subject& subject, const Json& params) {
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", params}}));
  const Json asked = to_json(point);
  // A wrong kernel stays wrong: a changed program is another kernel, and a later pass was luck.
  WS_TRY(ValidationHistory own, evidence_of(services, device, subject.kernel.id, asked));
  if (own.wrong) {
    return own;
  }
  WS_TRY(const std::vector<std::string> twins, wrong_twins(services, subject));
  for (const std::string& twin : twins) {
    WS_TRY(ValidationHistory found, evidence_of(services, device, twin, asked));
    if (found.wrong) {
      own.wrong = std::move(found.wrong);
      return own;
    }
  }
  return own;
}

Result<std::optional<EvidenceRow>> known_validation(Services& services, Device& device,
                                                    const Subject& subject, const Json& params) {
  WS_TRY(ValidationHistory history, validation_history(services, device, subject, params));
  return std::move(history.wrong ? history.wrong : history.passed);
}

Result<std::int64_t> count_passes(Services& services, Device& device,
                                  const std::string& kernel_id) {
  std::int64_t all = 0;
  for (const Device* other : services.alike(device)) {
    WS_TRY(const DeviceInfo info, other->backend->info());
    WS_TRY(const std::int64_t passes, services.lines->passed_validations(kernel_id, info.key()));
    all += passes;
  }
  return all;
}

Json repetition(const EvidenceRow& row) {
  Json arguments = Json::parse(row.key, nullptr, false);
  arguments["repeat"] = row.id;
  return arguments;
}

}  // namespace ws
