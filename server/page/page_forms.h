// The JSON forms of what the page shows.
#pragma once

#include "runtime/archive/search/kernel_family.h"
#include "runtime/archive/search/listing.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// {device, passed, verdict, meaning, evidence_id, at_ms, message, speed}; the last two are left
/// out where there is nothing.
Json standing_form(const ListedStanding& standing);

/// {id, name, problem_id, parent, created_at, standings}
Json row_form(const ListedKernel& kernel);
/// {id, name, created_at, kernels, more_kernels, fastest}
Json row_form(const ListedProblem& problem);
/// {id, device, kind, verdict, meaning, created_at}
Json row_form(const EvidenceRow& evidence);

/// {rows, next}: `next` is left out on the last page.
template <typename Row>
Json page_form(const ListedPage<Row>& page) {
  Json form = {{"rows", Json::array()}};
  for (const Row& row : page.rows) {
    form["rows"].push_back(row_form(row));
  }
  if (!page.next.empty()) {
    form["next"] = page.next;
  }
  return form;
}

/// {members, cut}: a member is a kernel with `pass`, the try that made it, where there was one.
Json family_form(const KernelFamily& family);

/// The whole kernel: {id, name, problem_id, parent, created_at, language, source, source_left_out,
/// plan}. Of a long source the beginning: `source_left_out` says how many bytes are not there.
Json whole_kernel_form(const KernelRow& kernel);

/// {from, to, text, added, removed}: the lines that turn one kernel's source into the other's.
Json difference_form(const KernelRow& from, const KernelRow& to);

/// {id, kernel_id, problem_id, device, kind, key, verdict, meaning, created_at, again, seed,
/// record}: `record` is JSON as text; a long one is left out, and `record_bytes` says how long it
/// is.
Json whole_evidence_form(const EvidenceRow& evidence);

}  // namespace ws::server
