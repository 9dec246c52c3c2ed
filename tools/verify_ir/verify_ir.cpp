#include "tools/verify_ir/verify_ir.h"

#include <utility>

#include "runtime/base/hash.h"
#include "tools/answer/envelope.h"
#include "tools/typed_tool.h"
#include "tools/verify_ir/report.h"
#include "tools/verify_ir/verification.h"
#include "tools/verify_ir/verify_ir_schema.h"

namespace ws {
namespace {

/// What JSON numbers hold exactly everywhere.
constexpr std::uint64_t kSeedMask = (std::uint64_t{1} << 53U) - 1;

Result<VerifyRequest> request_of(Archive& archive, const Json& arguments) {
  VerifyRequest request;
  request.ir = arguments.at("ir").get<std::string>();
  if (arguments.contains("target_ir")) {
    request.made_from = std::exchange(request.ir, arguments["target_ir"].get<std::string>());
  }
  request.mode = arguments.value("mode", request.mode);
  request.schedules = arguments.value("schedules", request.schedules);
  request.seed = arguments.contains("seed") ? arguments["seed"].get<std::uint64_t>()
                                            : random_u64() & kSeedMask;
  if (arguments.contains("problem_id") && arguments.contains("kernel_id")) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `problem_id` and `kernel_id`",
                "a kernel has its problem");
  }
  if (arguments.contains("kernel_id")) {
    WS_TRY(Subject subject, load_subject(archive, arguments["kernel_id"]));
    request.problem = std::move(subject.problem);
    request.kernel = std::move(subject.kernel);
  } else if (arguments.contains("problem_id")) {
    WS_TRY(request.problem, load_problem(archive, arguments["problem_id"]));
  }
  if (arguments.contains("workload")) {
    if (!request.problem) {
      return fail(ErrorCode::kInvalidArgument, "`workload` needs a `problem_id` or a `kernel_id`",
                  "without one, the program's annotations say the sizes");
    }
    WS_TRY(request.workload,
           workload_from_json(arguments["workload"], *request.problem, "workload"));
  }
  return request;
}

}  // namespace

VerifyIrTool::VerifyIrTool(Services& services)
    : spec_(parse_spec(verify_ir_schema())),
      services_(services) {}

Result<Json> VerifyIrTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    WS_TRY(Device* const device, services_.device(common.device));
    WS_TRY(const VerifyRequest request, request_of(*services_.archive, arguments));
    Json asked = arguments;  // Programs are long: their hashes stand for them.
    asked.erase("target_ir");
    asked["ir"] = {sha256_hex(request.ir), sha256_hex(request.made_from)};
    return run_as_job(services_, device->id, spec_.name, join_key(asked), common, context,
                      [this, device, request, common](CallContext& own) -> Result<Json> {
                        WS_TRY(const Verification verification,
                               verify_program(services_, *device, request, own));
                        return report(request, verification, common.full);
                      });
  });
}

}  // namespace ws
