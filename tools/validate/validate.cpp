#include "tools/validate/validate.h"

#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/stored_validation.h"
#include "tools/typed_tool.h"
#include "tools/validate/validate_schema.h"

namespace ws {
namespace {

std::string summary_of(const Json& body) {
  const std::string verdict = body["verdict"];
  const std::string kernel = body["kernel_id"];
  if (verdict_of(verdict) == Verdict::kPassed) {
    return kernel + " passed " + body["runs_total"].dump() + " runs";
  }
  return kernel + ": " + verdict + ": " + body.value("message", "");
}

std::vector<Json> steps_after(const Json& body) {
  const std::string kernel = body["kernel_id"];
  if (body["verdict"] == name_of(Verdict::kPassed)) {
    return {next_step("benchmark", {{"kernel_id", kernel}}, "time it against its root")};
  }
  const std::string why = body.contains("mismatch")
                              ? body["mismatch"]["hint"].get<std::string>()
                              : "mend the lines that fault or diagnostics name";
  return {edit_step("compile_kernel", kernel, why)};
}

}  // namespace

ValidateTool::ValidateTool(Services& services)
    : spec_(parse_spec(validate_schema())),
      services_(services) {}

Result<Json> ValidateTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    WS_TRY(const std::vector<Device*> devices, services_.devices_for(common.device));
    WS_TRY(const Subject subject,
           load_subject(*services_.archive, arguments.at("kernel_id").get<std::string>()));
    const ValidationQuestion question{
        .level = arguments.value("level", "quick"),
        .workloads = arguments.value("workloads", Json::array()),
        .params = arguments.value("params", Json::object()),
        .param_samples = arguments.value("param_samples", std::size_t{0}),
        .repeat = arguments.value("repeat", "")};
    Json key = arguments;
    key.erase("wait_ms");
    key["kernel_id"] = subject.kernel.id;
    return run_on_one_of(
        services_, devices, spec_.name, key.dump(), common, context,
        [this, subject, question, common](Device& device, CallContext& own) -> Result<Json> {
          WS_TRY(Json body, validate_stored(services_, device, subject, question, common, own));
          body["links"] = kernel_links(subject.kernel.id);
          body["links"].push_back(
              {{"rel", "report"}, {"uri", "evidence://" + body["evidence_id"].get<std::string>()}});
          const std::string summary = summary_of(body);
          std::vector<Json> steps = steps_after(body);
          return finished(summary, std::move(body), std::move(steps));
        });
  });
}

}  // namespace ws
