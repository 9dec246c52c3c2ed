#include "tools/common/passed_first.h"

#include "tools/common/stored_validation.h"

namespace ws {

Result<std::optional<Json>> refuse_invalid(Services& services, Device& device,
                                           const Subject& subject, const Json& params,
                                           const CommonParams& common, const CallContext& context,
                                           const std::string& done) {
  WS_TRY(const auto known, known_validation(services, device, subject, params));
  if (known && known->verdict == "passed") {
    return std::optional<Json>();
  }
  ValidationQuestion question{
      .level = "quick", .workloads = Json::array(), .params = params, .repeat = {}};
  if (known) {  // As it was asked, so that its answer is found again.
    question.level = Json::parse(known->json, nullptr, false).value("level", question.level);
  }
  CommonParams own = common;
  own.fresh = false;
  WS_TRY(Json validation, validate_stored(services, device, subject, question, own, context));
  const std::string verdict = validation["verdict"];
  if (verdict == "passed") {
    return std::optional<Json>();
  }
  const std::string why = validation.value("message", "");
  Json body = {
      {"verdict", "invalid"},
      {"kernel_id", subject.kernel.id},
      {"validation",
       {{"verdict", verdict}, {"message", why}, {"evidence_id", validation["evidence_id"]}}},
      {"emulated", validation["emulated"]},
      {"links", kernel_links(subject.kernel.id)}};
  return std::optional<Json>(
      finished(subject.kernel.id + " is not " + done + ": " + verdict + ": " + why, std::move(body),
               {next_step("validate", {{"kernel_id", subject.kernel.id}}, "see what is wrong")}));
}

}  // namespace ws
