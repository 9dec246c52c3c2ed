#include "tools/evidence/benchmark_job.h"

#include <utility>

#include "runtime/base/hash.h"
#include "runtime/base/numbers.h"
#include "runtime/base/text.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/checked_baseline.h"
#include "tools/evidence/record.h"
#include "tools/evidence/stored_validation.h"

namespace ws {
namespace {

std::string summary_of(const StoredBenchmark& benchmark) {
  const BenchmarkResult& result = benchmark.result;
  const std::string& id = benchmark.kernel_id;
  const std::string where = result.emulated ? " on the CPU (emulated)" : "";
  const std::string verdict(name_of(result.verdict));
  if (result.verdict == Verdict::kSuspect) {
    return id + ": " + verdict_text(result.verdict, result.message);
  }
  if (result.verdict == Verdict::kResolutionLimited) {
    return id + ": " + verdict + where + ": " + result.message;
  }
  if (!result.ratio) {
    return id + " takes " + fixed_digits(result.workloads.front().median_us, 1) + " us" + where +
           "; there is no baseline";
  }
  const std::string against =
      result.baseline == id ? "itself (it is its own root)" : result.baseline;
  const LibraryFacts* const library = result.library();
  const std::string share = library == nullptr
                                ? ""
                                : ", " + fixed_digits(percent_of_library(result.ratio->value), 1) +
                                      " % of " + library->name + " " + library->version;
  return id + " is " + verdict + where + ": " + fixed_digits(result.ratio->value, 2) +
         "x against " + against + ", 95 % interval " + fixed_digits(result.ratio->ci.low, 2) +
         " to " + fixed_digits(result.ratio->ci.high, 2) + share;
}

std::vector<Json> steps_after(const StoredBenchmark& benchmark) {
  const std::string& id = benchmark.kernel_id;
  if (benchmark.result.verdict == Verdict::kSuspect) {
    return {next_step("validate", {{"kernel_id", id}, {"level", "standard"}, {"fresh", true}},
                      "find out when its results are wrong")};
  }
  if (facts_of(benchmark.result.verdict).retryable) {
    return {next_step("benchmark", {{"kernel_id", id}, {"time_budget_ms", 10000}, {"fresh", true}},
                      "more samples narrow the interval")};
  }
  return {edit_step("compile_kernel", id, "try the next change")};
}

/// The call's question, as its evidence keeps it.
Json question_form(const BenchmarkParams& params, const std::string& kernel_id) {
  Json question = params.common.asked ? *params.common.asked : Json(params);
  question["kernel_id"] = kernel_id;
  return question;
}

Result<BenchmarkRequest> request_of(Services& services, Device& device, const Subject& subject,
                                    const BenchmarkParams& params, const CallContext& context) {
  BenchmarkRequest request;
  const Json arguments = {{"workloads", params.workloads}, {"params", params.params}};
  WS_TRY(request.workloads, requested_workloads(subject.problem, arguments));
  WS_TRY(request.params, requested_params(subject.kernel, arguments));
  WS_TRY(request.baseline, choose_baseline(*services.archive, subject, params.baseline));
  WS_TRY(const DeviceInfo info, device.backend->info());
  WS_CHECK(check_outside(services, info, request.baseline));
  request.hot = params.hot;
  request.time_budget_ms = params.time_budget_ms;
  request.secret = random_u64();
  request.l2_bytes = info.l2_bytes;
  request.batch = context.batch;
  return request;
}

Result<StoredBenchmark> benchmark_stored(Services& services, Device& device, const Subject& subject,
                                         const BenchmarkParams& params,
                                         const CallContext& context) {
  StoredBenchmark stored;
  stored.kernel_id = subject.kernel.id;
  WS_TRY(BenchmarkRequest request, request_of(services, device, subject, params, context));
  WS_TRY(stored.refusal,
         refuse_invalid(services, device, subject, params.params, params.common, context));
  if (stored.refusal) {
    stored.result.verdict = Verdict::kInvalid;
    return stored;
  }
  WS_CHECK(check_baseline(services, device, subject, request.baseline, context));
  WS_TRY(stored.weak_problem, weaknesses_of(services, device, subject, context));
  WS_TRY(request.noise_floor, services.noise_floors->get(*device.backend, context.stop));
  WS_TRY(request.ceilings, services.ceilings->get(*device.backend, context.stop));
  WS_TRY(const Measurement measurement, measure_kernel(*device.backend, subject, request, context));
  WS_TRY(const DeviceInfo info, device.backend->info());
  stored.result = summarise(measurement, request, info.emulated);
  stored.result.message = ws::quoted(stored.result.message);
  Json output = stored;
  output["links"] = kernel_links(subject.kernel.id);
  const Json question = question_form(params, subject.kernel.id);
  WS_TRY(stored.evidence_id,
         record_evidence(
             *services.archive,
             {.subject = subject, .device = info, .kind = "benchmark", .key = question.dump()},
             stored.result.verdict,
             {{"output", std::move(output)},
              {"seed", request.secret},
              {"arguments", question},
              {"device", device_form(info)}}));
  return stored;
}

}  // namespace

void from_json(const Json& arguments, BenchmarkParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.baseline = arguments.value("baseline", params.baseline);
  params.workloads = arguments.value("workloads", Json::array());
  params.params = arguments.value("params", Json::object());
  params.hot = arguments.value("cache", "cold") == "hot";
  params.time_budget_ms = arguments.value("time_budget_ms", params.time_budget_ms);
}

void to_json(Json& arguments, const BenchmarkParams& params) {
  const BenchmarkParams defaults;
  arguments = common_arguments(params.common);
  arguments["kernel_id"] = params.kernel_id;
  if (params.baseline != defaults.baseline) {
    arguments["baseline"] = params.baseline;
  }
  if (!params.workloads.empty()) {
    arguments["workloads"] = params.workloads;
  }
  if (!params.params.empty()) {
    arguments["params"] = params.params;
  }
  if (params.hot) {
    arguments["cache"] = "hot";
  }
  if (params.time_budget_ms != defaults.time_budget_ms) {
    arguments["time_budget_ms"] = params.time_budget_ms;
  }
}

Answer answer_of(const StoredBenchmark& benchmark) {
  if (benchmark.refusal) {
    return refusal_answer(benchmark.kernel_id, *benchmark.refusal, "timed");
  }
  Answer answer{
      .summary = summary_of(benchmark), .body = benchmark, .next_steps = steps_after(benchmark)};
  answer.body["links"] = kernel_links(benchmark.kernel_id);
  answer.body["links"].push_back(
      {{"rel", "report"}, {"uri", "evidence://" + benchmark.evidence_id}});
  return answer;
}

Result<ToolJob<StoredBenchmark>> benchmark_job(Services& services, const BenchmarkParams& params) {
  WS_TRY(const Subject subject, load_subject(*services.archive, params.kernel_id));
  WS_TRY(Device* const device, services.device_for(params.common.device, subject.kernel.language));
  ToolJob<StoredBenchmark> job;
  job.start = {.lanes = {device->id},
               .tool = "benchmark",
               .key = join_key(params, subject.kernel.id),
               .common = params.common};
  job.work = [&services, device, subject, params](CallContext& own) {
    return benchmark_stored(services, *device, subject, params, own);
  };
  return job;
}

Result<StoredBenchmark> benchmark_kernel(Services& services, const BenchmarkParams& params,
                                         StageSpan span, const CallContext& context) {
  WS_TRY(ToolJob<StoredBenchmark> job, benchmark_job(services, params));
  return result_of_job(services, std::move(job), span, context);
}

}  // namespace ws
