#include "tools/apply_transformation/conclude.h"

#include <utility>

#include "tools/answer/subject_form.h"

namespace ws {

Json stage_form(Json form) {
  for (const char* field : {"kernel_id", "problem_id", "parent"}) {
    form.erase(field);
  }
  return form;
}

std::string reason_of(const Compilation& compilation, const std::string& complaint) {
  if (compilation.verdict == Verdict::kCompiled) {
    return {};
  }
  return complaint.empty() ? answer_of(compilation).summary : complaint;
}

Result<ConcludedTry> conclude(Services& services, const Kernel& base, const Change& change,
                              Try made, const TriedPass& pass, const Json& arguments) {
  ConcludedTry concluded{.kernel_id = made.applied() ? made.kernel_id : base.id,
                         .verdict = made.verdict,
                         .reason = made.reason,
                         .attempt = 1,
                         .body = std::move(made.body)};
  WS_TRY(concluded.attempt,
         services.archive->add_pass_try({.transformation = pass.transformation,
                                         .pass = pass.pass,
                                         .passes = pass.passes,
                                         .base_id = base.id,
                                         .kernel_id = made.kernel_id,
                                         .verdict = made.verdict,
                                         .reason = one_line(made.reason, kReasonBytes)}));
  Json& body = concluded.body;
  body["attempt"] = concluded.attempt;
  body["applied"] = concluded.applied();
  body["verdict"] = name_of(concluded.verdict);
  body["kernel_id"] = concluded.kernel_id;
  body["links"] = kernel_links(concluded.kernel_id);
  if (!concluded.applied()) {
    body["reason"] = ws::quoted(made.reason);
    body["refused"] = change.refused;
    body["refused_count"] = change.refusals;
    if (!made.kernel_id.empty() && made.kernel_id != base.id) {
      body["tried"] = made.kernel_id;
    }
    return concluded;
  }
  body["parent"] = base.id;
  body["diff"] = diff_of(base, change);
  if (arguments.contains("ref")) {
    WS_CHECK(services.archive->set_ref(arguments["ref"], made.kernel_id));
  }
  return concluded;
}

}  // namespace ws
