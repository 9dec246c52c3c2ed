#include "tools/evidence/record.h"

#include <utility>

#include "runtime/base/clock.h"

namespace ws {

Result<std::string> record_evidence(Archive& archive, const EvidenceQuestion& question,
                                    Verdict verdict, Json record) {
  record["at"] = timestamp_now();
  return archive.add_evidence({.id = {},
                               .kernel_id = question.subject.kernel.id,
                               .problem_id = question.subject.problem.id,
                               .device = question.device.key(),
                               .kind = question.kind,
                               .key = question.key,
                               .verdict = verdict,
                               .json = record.dump(-1, ' ', false, Json::error_handler_t::replace),
                               .created_at = {}});
}

}  // namespace ws
