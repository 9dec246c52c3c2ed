#include "tools/evidence/known_validation.h"

#include "runtime/archive/store/line_store.h"
#include "runtime/base/verdict.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

/// Whether a validation that was not passed is about these parameters: of random points as well,
/// the run that decided names its own.
bool is_about(const EvidenceRow& row, const Json& key, const Json& params) {
  const Json record = Json::parse(row.json, nullptr, false);
  const Json::json_pointer runs("/output/runs");
  if (record.is_object() && record.contains(runs) && !record[runs].empty() &&
      record[runs].back().contains("params")) {
    return record[runs].back()["params"] == params;
  }
  return key.value("params", Json::object()) == params;
}

bool is_whole_pass(const EvidenceRow& row, const Json& key, const Json& params) {
  const std::string level = key.value("level", "");
  return row.verdict == Verdict::kPassed && (level == "quick" || level == "standard") &&
         key.value("workloads", Json()).empty() && key.value("params", Json()) == params;
}

}  // namespace

Result<std::optional<EvidenceRow>> known_validation(Services& services, Device& device,
                                                    const Subject& subject, const Json& params) {
  WS_TRY(const Params point, requested_params(subject.kernel, {{"params", params}}));
  const Json asked = to_json(point);
  // A wrong kernel stays wrong: a changed text is another kernel, and a later pass was luck.
  std::optional<EvidenceRow> wrong;
  std::optional<EvidenceRow> passed;
  const auto take = [](std::optional<EvidenceRow>& newest, EvidenceRow& row) {
    if (!newest || row.created_ms > newest->created_ms) {
      newest = std::move(row);
    }
  };
  WS_TRY(const auto lines, LineStore::open(services.options.data_dir));
  for (const Device* other : services.alike(device)) {
    WS_TRY(const DeviceInfo info, other->backend->info());
    WS_TRY(std::vector<EvidenceRow> rows,
           lines->answers(subject.kernel.id, info.key(), "validate"));
    for (EvidenceRow& row : rows) {
      const Json key = Json::parse(row.key, nullptr, false);
      if (key.is_object() && facts_of(row.verdict).proves_wrong && is_about(row, key, asked)) {
        take(wrong, row);
      } else if (key.is_object() && is_whole_pass(row, key, asked)) {
        take(passed, row);
      }
    }
  }
  return wrong ? wrong : passed;
}

}  // namespace ws
