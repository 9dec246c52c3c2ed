#include "tools/evidence/passed_first.h"

#include "tools/answer/subject_form.h"
#include "tools/evidence/known_validation.h"
#include "tools/evidence/stored_validation.h"

namespace ws {
namespace {

/// @param stands  Ends the summary; says that the finding is an old one.
Json refusal(const Subject& subject, const std::string& done, const std::string& verdict,
             const Json& validation, const std::string& evidence_id, Json arguments,
             const std::string& why_again, const std::string& stands) {
  const std::string why = validation.value("message", "");
  Json body = {
      {"verdict", name_of(Verdict::kInvalid)},
      {"kernel_id", subject.kernel.id},
      {"validation", {{"verdict", verdict}, {"message", why}, {"evidence_id", evidence_id}}},
      {"emulated", validation.value("emulated", false)},
      {"links", kernel_links(subject.kernel.id)}};
  arguments["kernel_id"] = subject.kernel.id;
  return finished(subject.kernel.id + " is not " + done + ": " + verdict + ": " + why + stands,
                  std::move(body), {next_step("validate", std::move(arguments), why_again)});
}

/// As the evidence was asked for, with its seed.
Json repetition(const EvidenceRow& row) {
  Json arguments = Json::parse(row.key, nullptr, false);
  arguments["repeat"] = row.id;
  return arguments;
}

}  // namespace

Result<std::optional<Json>> refuse_invalid(Services& services, Device& device,
                                           const Subject& subject, const Json& params,
                                           const CommonParams& common, const CallContext& context,
                                           const std::string& done) {
  WS_TRY(const auto known, known_validation(services, device, subject, params));
  if (known && verdict_of(known->verdict) == Verdict::kPassed) {
    return std::optional<Json>();
  }
  if (known) {
    const Json output = Json::parse(known->json, nullptr, false).value("output", Json::object());
    return std::optional<Json>(refusal(subject, done, known->verdict, output, known->id,
                                       repetition(*known), "run it again on those inputs",
                                       "; " + known->id +
                                           " found that, and it stands whatever later validations "
                                           "say: a changed text is another kernel"));
  }
  const ValidationQuestion question{
      .level = "quick", .workloads = Json::array(), .params = params, .repeat = {}};
  CommonParams own = common;
  own.fresh = false;
  WS_TRY(const Json validation, validate_stored(services, device, subject, question, own, context));
  const std::string verdict = validation["verdict"];
  if (verdict_of(verdict) == Verdict::kPassed) {
    return std::optional<Json>();
  }
  const Json arguments = params.empty() ? Json::object() : Json{{"params", params}};
  return std::optional<Json>(refusal(subject, done, verdict, validation, validation["evidence_id"],
                                     arguments, "see what is wrong", ""));
}

}  // namespace ws
