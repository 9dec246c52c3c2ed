#include "tools/verify_ir/verify_ir.h"

#include <utility>

#include "runtime/base/hash.h"
#include "tools/verify_ir/verify_ir_schema.h"

namespace ws {
namespace {

/// JSON numbers hold whole numbers up to this one exactly everywhere.
constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 53U) - 1;

Result<VerifyRequest> request_of(Archive& archive, const VerifyIrParams& params) {
  VerifyRequest request;
  request.ir = params.target_ir.empty() ? params.ir : params.target_ir;
  request.made_from = params.target_ir.empty() ? std::string() : params.ir;
  request.mode = params.mode;
  request.schedules = params.schedules;
  request.seed = params.seed ? *params.seed : random_u64() & kSeedMask;
  if (params.problem_id && params.kernel_id) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `problem_id` and `kernel_id`",
                "a kernel already has a problem");
  }
  if (params.kernel_id) {
    WS_TRY(Subject subject, load_subject(archive, *params.kernel_id));
    request.problem = std::move(subject.problem);
    request.kernel = std::move(subject.kernel);
  } else if (params.problem_id) {
    WS_TRY(request.problem, load_problem(archive, *params.problem_id));
  }
  if (!params.workload.is_null()) {
    if (!request.problem) {
      return fail(ErrorCode::kInvalidArgument, "`workload` needs a `problem_id` or a `kernel_id`",
                  "without one, the program's annotations give the sizes");
    }
    WS_TRY(request.workload, workload_from_json(params.workload, *request.problem, "workload"));
  }
  return request;
}

/// The programs are long: their hashes stand for them.
std::string key_of(const VerifyIrParams& params, const VerifyRequest& request) {
  Json asked = *params.common.asked;
  asked.erase("target_ir");
  asked["ir"] = {sha256_hex(request.ir), sha256_hex(request.made_from)};
  return join_key(asked);
}

}  // namespace

void from_json(const Json& arguments, VerifyIrParams& params) {
  params.common = common_params(arguments);
  params.ir = arguments.at("ir");
  params.target_ir = arguments.value("target_ir", "");
  if (arguments.contains("problem_id")) {
    params.problem_id = arguments["problem_id"].get<std::string>();
  }
  if (arguments.contains("kernel_id")) {
    params.kernel_id = arguments["kernel_id"].get<std::string>();
  }
  params.workload = arguments.value("workload", Json());
  params.mode = arguments.value("mode", params.mode);
  params.schedules = arguments.value("schedules", params.schedules);
  if (arguments.contains("seed")) {
    params.seed = arguments["seed"].get<std::uint64_t>();
  }
}

VerifyIrTool::VerifyIrTool(Services& services)
    : TypedJobTool(verify_ir_schema(), services) {}

Result<ToolJob<VerifiedProgram>> VerifyIrTool::job_of(Services& services,
                                                      const VerifyIrParams& params,
                                                      const std::stop_token& /*stop*/) {
  WS_TRY(Device* const device, services.device(params.common.device));
  WS_TRY(VerifyRequest request, request_of(*services.archive, params));
  ToolJob<VerifiedProgram> job;
  job.start = {.lanes = {device->id},
               .tool = spec().name,
               .key = key_of(params, request),
               .common = params.common};
  job.work = [&services, device, request = std::move(request),
              full = params.common.full](CallContext& own) -> Result<VerifiedProgram> {
    WS_TRY(Verification verification, verify_program(services, *device, request, own));
    return VerifiedProgram{request, std::move(verification), full};
  };
  return job;
}

}  // namespace ws
