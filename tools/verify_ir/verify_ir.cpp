#include "tools/verify_ir/verify_ir.h"

#include <utility>

#include "runtime/base/hash.h"
#include "tools/kernels/kernel_choice.h"
#include "tools/verify_ir/verify_ir_schema.h"

namespace ws {
namespace {

/// Two things can be asked, each with arguments of its own.
Status check_question(const VerifyIrParams& params) {
  if (params.ir.empty() != params.against.has_value()) {
    return fail(ErrorCode::kInvalidArgument,
                params.against ? "give only one of `ir` and `against`" : "`ir` is missing",
                "`ir` is a program; without it, `kernel_id` is a kernel and `against` another one");
  }
  if (!params.against) {
    return params.binding.is_null() ? Status()
                                    : fail(ErrorCode::kInvalidArgument, "`binding` needs `against`",
                                           "it says how the arguments of two kernels correspond");
  }
  if (!params.kernel_id || params.problem_id || !params.problem.is_null() ||
      !params.target_ir.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                !params.kernel_id ? "`against` needs a `kernel_id`"
                                  : "`against` goes with `kernel_id` alone",
                "two kernels have their problems already");
  }
  for (const char* option : {"mode", "schedules"}) {
    if (params.common.asked->contains(option)) {
      return fail(ErrorCode::kInvalidArgument, "`" + std::string(option) + "` is for programs",
                  "leave it out beside `against`: kernels are validated at level standard");
    }
  }
  return {};
}

Result<PairRequest> pair_of(Archive& archive, const VerifyIrParams& params) {
  PairRequest request;
  WS_TRY(request.subject, load_subject(archive, *params.kernel_id));
  WS_TRY(request.against, load_subject(archive, *params.against));
  if (request.subject.kernel.id == request.against.kernel.id) {
    return fail(ErrorCode::kInvalidArgument, "`against` is the same kernel",
                "give the kernel that it was translated from");
  }
  const Problem& problem = request.subject.problem;
  const Binding said = params.binding.is_null() ? Binding() : binding_of_form(params.binding);
  WS_TRY(request.binding, complete_binding(problem, request.against.problem, said));
  if (!params.workload.is_null()) {
    WS_TRY(request.workload, workload_from_json(params.workload, problem, "workload"));
  }
  request.seed = params.seed ? *params.seed : random_seed();
  return request;
}

Result<VerifyRequest> request_of(Services& services, const VerifyIrParams& params,
                                 const std::stop_token& stop) {
  Archive& archive = *services.archive;
  VerifyRequest request;
  request.ir = params.target_ir.empty() ? params.ir : params.target_ir;
  request.made_from = params.target_ir.empty() ? std::string() : params.ir;
  request.mode = params.mode;
  request.schedules = params.schedules;
  request.seed = params.seed ? *params.seed : random_seed();
  if (params.problem_id && params.kernel_id) {
    return fail(ErrorCode::kInvalidArgument, "give only one of `problem_id` and `kernel_id`",
                "a kernel already has a problem");
  }
  if (!params.problem.is_null() && (params.problem_id || params.kernel_id)) {
    return fail(ErrorCode::kInvalidArgument,
                "give only one of `problem` and `" +
                    std::string(params.kernel_id ? "kernel_id" : "problem_id") + "`",
                "`problem` is a new one, whose reference has the outputs");
  }
  if (!params.problem.is_null()) {
    WS_TRY(request.problem, new_problem(services, params.problem, stop));
    request.is_new_problem = true;
  } else if (params.kernel_id) {
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
  params.ir = arguments.value("ir", "");
  params.target_ir = arguments.value("target_ir", "");
  params.problem = arguments.value("problem", Json());
  if (arguments.contains("problem_id")) {
    params.problem_id = arguments["problem_id"].get<std::string>();
  }
  if (arguments.contains("kernel_id")) {
    params.kernel_id = arguments["kernel_id"].get<std::string>();
  }
  if (arguments.contains("against")) {
    params.against = arguments["against"].get<std::string>();
  }
  params.binding = arguments.value("binding", Json());
  params.workload = arguments.value("workload", Json());
  params.mode = arguments.value("mode", params.mode);
  params.schedules = arguments.value("schedules", params.schedules);
  if (arguments.contains("seed")) {
    params.seed = arguments["seed"].get<std::uint64_t>();
  }
}

Answer answer_of(const Verified& verified) {
  return std::visit([](const auto& one) { return answer_of(one); }, verified);
}

VerifyIrTool::VerifyIrTool(Services& services)
    : TypedJobTool(verify_ir_schema(), services) {}

Result<ToolJob<Verified>> VerifyIrTool::job_of(Services& services, const VerifyIrParams& params,
                                               const std::stop_token& stop) {
  WS_CHECK(check_question(params));
  WS_TRY(Device* const device, services.device(params.common.device));
  ToolJob<Verified> job;
  job.start = {.lanes = {device->id}, .tool = spec().name, .key = {}, .common = params.common};
  if (params.against) {
    WS_TRY(PairRequest request, pair_of(*services.archive, params));
    job.start.key = join_key(*params.common.asked);
    job.work = [&services, device,
                request = std::move(request)](CallContext& own) -> Result<Verified> {
      PairRequest asked = request;
      asked.batch = own.batch;
      WS_TRY(VerifiedPair pair,
             verify_pair(*device->backend, *services.host_workers, std::move(asked), own));
      return pair;
    };
    return job;
  }
  WS_TRY(VerifyRequest request, request_of(services, params, stop));
  job.start.key = key_of(params, request);
  job.work = [&services, device, request = std::move(request),
              full = params.common.full](CallContext& own) -> Result<Verified> {
    WS_TRY(Verification verification, verify_program(services, *device, request, own));
    return VerifiedProgram{request, std::move(verification), full};
  };
  return job;
}

}  // namespace ws
