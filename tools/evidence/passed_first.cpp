#include "tools/evidence/passed_first.h"

#include <utility>

#include "tools/answer/subject_form.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/stored_validation.h"
#include "tools/evidence/validation_form.h"

namespace ws {
namespace {

Refusal refusal_of(const StoredValidation& found) {
  return {.verdict = found.result.verdict,
          .message = found.result.message,
          .evidence_id = found.evidence_id,
          .emulated = found.result.emulated,
          .known_before = false,
          .twin = {},
          .again = Json::object()};
}

/// Why a refusal stands that an earlier validation gave.
std::string standing(const Refusal& refusal) {
  const std::string found = "; " + refusal.evidence_id + " found that";
  return refusal.twin.empty()
             ? found +
                   ", and it stands whatever later validations say: a changed text is another "
                   "kernel"
             : found + " of " + refusal.twin +
                   ", which differs in comments and white space only: a changed program is another "
                   "kernel";
}

}  // namespace

Result<std::optional<Refusal>> refuse_invalid(Services& services, Device& device,
                                              const Subject& subject, const Json& params,
                                              const CommonParams& common,
                                              const CallContext& context) {
  WS_TRY(const auto known, known_validation(services, device, subject, params));
  if (known && known->verdict == Verdict::kPassed) {
    return std::optional<Refusal>();
  }
  if (known) {
    Refusal refusal = refusal_of(validation_of(*known));
    refusal.known_before = true;
    refusal.again = repetition(*known);
    refusal.twin = known->kernel_id == subject.kernel.id ? "" : known->kernel_id;
    return std::optional(std::move(refusal));
  }
  const ValidationQuestion question{
      .level = "quick", .workloads = Json::array(), .params = params, .repeat = {}};
  CommonParams own = common;
  own.fresh = false;
  WS_TRY(const StoredValidation found,
         validate_stored(services, device, subject, question, own, context));
  if (found.result.verdict == Verdict::kPassed) {
    return std::optional<Refusal>();
  }
  Refusal refusal = refusal_of(found);
  if (!params.empty()) {
    refusal.again["params"] = params;
  }
  return std::optional(std::move(refusal));
}

Json refusal_form(const std::string& kernel_id, const Refusal& refusal) {
  return {{"verdict", name_of(Verdict::kInvalid)},
          {"kernel_id", kernel_id},
          {"validation",
           {{"verdict", name_of(refusal.verdict)},
            {"message", refusal.message},
            {"evidence_id", refusal.evidence_id}}},
          {"emulated", refusal.emulated}};
}

Refusal refusal_of_form(const Json& form) {
  const Json& validation = form.at("validation");
  const std::string verdict = validation.at("verdict");
  return {.verdict = verdict_of(verdict).value_or(Verdict::kSuspect),
          .message = validation.at("message"),
          .evidence_id = validation.at("evidence_id"),
          .emulated = form.at("emulated"),
          .known_before = false,
          .twin = {},
          .again = Json::object()};
}

Answer refusal_answer(const std::string& kernel_id, const Refusal& refusal,
                      const std::string& done) {
  const std::string stands = refusal.known_before ? standing(refusal) : "";
  Json body = refusal_form(kernel_id, refusal);
  body["links"] = kernel_links(kernel_id);
  Json again = refusal.again;
  again["kernel_id"] = refusal.twin.empty() ? kernel_id : refusal.twin;
  return {.summary = kernel_id + " is not " + done + ": " +
                     verdict_text(refusal.verdict, refusal.message) + stands,
          .body = std::move(body),
          .next_steps = {next_step(
              "validate", std::move(again),
              refusal.known_before ? "run it again on those inputs" : "see what is wrong")}};
}

}  // namespace ws
