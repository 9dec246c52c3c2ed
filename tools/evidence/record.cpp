#include "tools/evidence/record.h"

#include <utility>

#include "runtime/base/audit.h"
#include "runtime/base/clock.h"
#include "runtime/base/metrics.h"

namespace ws {

Result<std::string> record_evidence(Archive& archive, const EvidenceQuestion& question,
                                    Verdict verdict, Json record) {
  record["at"] = timestamp_now();
  WS_TRY(std::string id,
         archive.add_evidence({.id = {},
                               .kernel_id = question.subject.kernel.id,
                               .problem_id = question.subject.problem.id,
                               .device = question.device.key(),
                               .kind = question.kind,
                               .key = question.key,
                               .verdict = verdict,
                               .json = record.dump(-1, ' ', false, Json::error_handler_t::replace),
                               .created_at = {}}));
  metric_cell(Metric::kEvidence, {question.kind, name_of(verdict)}).add();
  audit_stored(StoredKind::kEvidence, id, question.subject.kernel.id);
  return id;
}

}  // namespace ws
