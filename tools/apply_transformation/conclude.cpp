#include "tools/apply_transformation/conclude.h"

#include <utility>

#include "runtime/base/audit.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/validation_form.h"

namespace ws {

namespace {

/// A stage's form without the fields that the try's own form has.
Json stage_form(Json form) {
  for (const char* field : {"kernel_id", "problem_id", "parent"}) {
    form.erase(field);
  }
  return form;
}

}  // namespace

std::string reason_of(const Compilation& compilation, const std::string& complaint) {
  if (compilation.verdict == Verdict::kCompiled) {
    return {};
  }
  return complaint.empty() ? answer_of(compilation).summary : complaint;
}

Json form_of(const ConcludedTry& tried) {
  const Try& made = tried.made;
  Json form = {{"attempt", tried.attempt},
               {"applied", tried.applied()},
               {"verdict", name_of(made.verdict)},
               {"kernel_id", tried.kernel_id()},
               {"links", kernel_links(tried.kernel_id())}};
  if (made.compilation) {
    form["compile"] = stage_form(*made.compilation);
  }
  if (made.validation) {
    form["validation"] = stage_form(*made.validation);
  }
  if (made.verified) {
    form["verification"] = answer_of(*made.verified).body;
  }
  if (made.unchecked) {
    form["not_validated"] = "no device here runs it; validate it on one before it is used";
  }
  if (tried.applied()) {
    form["parent"] = tried.base_id;
    form["diff"] = tried.diff;
    return form;
  }
  form["reason"] = ws::quoted(made.reason);
  form["refused"] = tried.refused;
  form["refused_count"] = tried.refusals;
  if (!made.kernel_id.empty() && made.kernel_id != tried.base_id) {
    form["tried"] = made.kernel_id;
  }
  return form;
}

Result<ConcludedTry> conclude(Services& services, const Kernel& base, const Change& change,
                              Try made, const TriedPass& pass,
                              const std::optional<std::string>& ref) {
  ConcludedTry concluded{.made = std::move(made),
                         .base_id = base.id,
                         .attempt = 1,
                         .refused = change.refused,
                         .refusals = change.refusals,
                         .diff = {}};
  const Try& tried = concluded.made;
  WS_TRY(concluded.attempt,
         services.archive->add_pass_try({.transformation = pass.transformation,
                                         .pass = pass.pass,
                                         .passes = pass.passes,
                                         .base_id = base.id,
                                         .kernel_id = tried.kernel_id,
                                         .verdict = tried.verdict,
                                         .reason = one_line(tried.reason, kReasonBytes)}));
  if (!concluded.applied()) {
    return concluded;
  }
  concluded.diff = diff_of(base, change);
  if (ref) {
    WS_CHECK(services.archive->set_ref(*ref, tried.kernel_id));
    audit_stored(StoredKind::kRef, *ref, tried.kernel_id);
  }
  return concluded;
}

}  // namespace ws
