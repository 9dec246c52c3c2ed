#include "tools/benchmark/benchmark.h"

#include <cstdio>

#include "runtime/base/clock.h"
#include "runtime/base/hash.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/benchmark/benchmark_schema.h"
#include "tools/evidence/passed_first.h"
#include "tools/typed_tool.h"

namespace ws {
namespace {

std::string fixed(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

Json interval_form(const Interval& interval) {
  return {rounded(interval.low), rounded(interval.high)};
}

/// Work per second, in units of 1e12 or 1e9 per second; null when the problem does not say.
Json rate(const std::optional<double>& work, double us, double unit) {
  return work && us > 0 ? Json(rounded(*work / (us * 1e-6) / unit)) : Json(nullptr);
}

Json workload_form(const WorkloadTimes& row, const BenchmarkRequest& request) {
  const double us = median(row.times.kernel_us);
  const std::optional<Roofline> limit = roofline(request.ceilings, row.cost, us);
  Json form = {{"workload", to_json(row.workload)},
               {"median_us", rounded(us)},
               {"p5_us", rounded(percentile(row.times.kernel_us, 5))},
               {"p95_us", rounded(percentile(row.times.kernel_us, 95))},
               {"samples", row.times.kernel_us.size()},
               {"tflops", rate(row.cost.flops, us, 1e12)},
               {"gbps", rate(row.cost.bytes, us, 1e9)},
               {"roofline_percent", limit ? Json(rounded(limit->percent)) : Json(nullptr)},
               {"stopped_by", name_of(row.times.stop)}};
  if (limit) {
    form["roofline_bound"] = limit->bound;
  }
  if (!request.baseline.none) {
    form["baseline_median_us"] = rounded(median(row.times.baseline_us));
    form["ratio"] = rounded(row.times.ratio);
    form["ratio_ci"] = interval_form(row.times.ratio_ci);
  }
  if (row.verdict) {
    form["verdict"] = name_of(*row.verdict);
  }
  if (row.shrunk_from) {
    form["shrunk_from"] = to_json(*row.shrunk_from);
  }
  return form;
}

/// Over all workloads.
Json clocks_form(const Measurement& measurement) {
  Json form = {{"locked", false}};
  std::vector<double> sm_mhz;
  std::set<std::string> reasons;
  std::int64_t launches = 0;
  std::int64_t throttled = 0;
  std::int64_t processes = 0;
  for (const WorkloadTimes& row : measurement.workloads) {
    if (row.clocks.sm_mhz > 0) {
      sm_mhz.push_back(row.clocks.sm_mhz);
      form["memory_mhz"] = rounded(row.clocks.memory_mhz);
    }
    reasons.insert(row.clocks.throttle_reasons.begin(), row.clocks.throttle_reasons.end());
    launches += row.clocks.launches;
    throttled += row.clocks.throttled;
    processes = std::max(processes, row.clocks.processes);
  }
  if (!sm_mhz.empty()) {
    form["sm_mhz"] = rounded(median(sm_mhz));
    form["throttled_share"] =
        rounded(static_cast<double>(throttled) / static_cast<double>(launches));
    form["throttle_reasons"] = reasons;
    form["processes"] = processes;
  }
  return form;
}

std::string summary_of(const Subject& subject, const BenchmarkRequest& request,
                       const Measurement& measurement, bool emulated) {
  const std::string where = emulated ? " on the CPU engine (emulated)" : "";
  if (measurement.verdict == Verdict::kSuspect) {
    return subject.kernel.id + ": suspect: " + quoted(measurement.message);
  }
  if (measurement.verdict == Verdict::kResolutionLimited) {
    return subject.kernel.id + ": resolution_limited" + where + ": " + measurement.message;
  }
  const std::string time = fixed(median(measurement.workloads.front().times.kernel_us), 1) + " us";
  if (request.baseline.none) {
    return subject.kernel.id + " takes " + time + where + "; there is no baseline";
  }
  const std::string against = request.baseline.id == subject.kernel.id
                                  ? "itself (it is its own root)"
                                  : request.baseline.id;
  return subject.kernel.id + " is " + std::string(name_of(measurement.verdict)) + where + ": " +
         fixed(measurement.ratio, 2) + "x against " + against + ", 95 % interval " +
         fixed(measurement.ratio_ci.low, 2) + " to " + fixed(measurement.ratio_ci.high, 2);
}

std::vector<Json> steps_after(const Subject& subject, const Measurement& measurement) {
  const std::string id = subject.kernel.id;
  if (measurement.verdict == Verdict::kSuspect) {
    return {next_step("validate", {{"kernel_id", id}, {"level", "standard"}, {"fresh", true}},
                      "find out when its results are wrong")};
  }
  if (facts_of(measurement.verdict).retryable) {
    return {next_step("benchmark", {{"kernel_id", id}, {"time_budget_ms", 10000}, {"fresh", true}},
                      "more samples narrow the interval")};
  }
  return {edit_step("compile_kernel", id, "try the next change")};
}

}  // namespace

BenchmarkTool::BenchmarkTool(Services& services)
    : spec_(parse_spec(benchmark_schema())),
      services_(services) {}

Result<Json> BenchmarkTool::run(Device& device, const Subject& subject, const Json& arguments,
                                const CommonParams& common, const CallContext& context) {
  WS_TRY(const DeviceInfo info, device.backend->info());
  BenchmarkRequest request;
  WS_TRY(request.workloads, requested_workloads(subject.problem, arguments));
  WS_TRY(request.params, requested_params(subject.kernel, arguments));
  WS_TRY(request.baseline,
         choose_baseline(*services_.archive, subject, arguments.value("baseline", "root")));
  WS_TRY(const std::optional<Refusal> refused,
         refuse_invalid(services_, device, subject, arguments.value("params", Json::object()),
                        common, context));
  if (refused) {
    return framed(refusal_answer(subject.kernel.id, *refused, "timed"));
  }
  request.hot = arguments.value("cache", "cold") == "hot";
  request.time_budget_ms = arguments.value("time_budget_ms", 2000.0);
  request.secret = random_u64();
  WS_TRY(request.noise_floor, services_.noise_floors->get(*device.backend, context.stop));
  WS_TRY(request.ceilings, services_.ceilings->get(*device.backend, context.stop));
  request.l2_bytes = info.l2_bytes;
  request.batch = context.batch;
  WS_TRY(const Measurement measurement, measure_kernel(*device.backend, subject, request, context));
  Json body = {{"verdict", name_of(measurement.verdict)},
               {"kernel_id", subject.kernel.id},
               {"noise_floor", rounded(measurement.noise_floor)},
               {"cache", request.hot ? "hot" : "cold"},
               {"clocks", clocks_form(measurement)},
               {"emulated", info.emulated},
               {"workloads", Json::array()},
               {"links", kernel_links(subject.kernel.id)}};
  if (!measurement.message.empty()) {
    body["message"] = quoted(measurement.message);
    if (measurement.fault) {
      body["fault"] = to_json(*measurement.fault);
    }
  } else {
    for (const WorkloadTimes& row : measurement.workloads) {
      body["workloads"].push_back(workload_form(row, request));
    }
    if (!request.baseline.none) {
      body["baseline"] = request.baseline.id;
    }
    if (!request.baseline.none && measurement.verdict != Verdict::kResolutionLimited) {
      body["ratio"] = rounded(measurement.ratio);
      body["ratio_ci"] = interval_form(measurement.ratio_ci);
    }
  }
  const Json record = {{"output", body},
                       {"seed", request.secret},
                       {"at", timestamp_now()},
                       {"arguments", arguments},
                       {"device", device_form(info)}};
  WS_TRY(body["evidence_id"],
         services_.archive->add_evidence(
             {.id = {},
              .kernel_id = subject.kernel.id,
              .problem_id = subject.problem.id,
              .device = info.key(),
              .kind = "benchmark",
              .key = arguments.dump(),
              .verdict = std::string(name_of(measurement.verdict)),
              .json = record.dump(-1, ' ', false, Json::error_handler_t::replace),
              .created_at = {}}));
  body["links"].push_back(
      {{"rel", "report"}, {"uri", "evidence://" + body["evidence_id"].get<std::string>()}});
  const std::string summary = summary_of(subject, request, measurement, info.emulated);
  return finished(summary, std::move(body), steps_after(subject, measurement));
}

Result<Json> BenchmarkTool::call(const Json& arguments, CallContext& context) {
  return guarded([&]() -> Result<Json> {
    const CommonParams common = common_params(arguments);
    WS_TRY(Device* const device, services_.device(common.device));
    WS_TRY(const Subject subject,
           load_subject(*services_.archive, arguments.at("kernel_id").get<std::string>()));
    Json question = arguments;
    question.erase("wait_ms");
    question["kernel_id"] = subject.kernel.id;
    return run_as_job(services_, device->id, spec_.name, question.dump(), common, context,
                      [this, device, subject, question, common](CallContext& own) {
                        return run(*device, subject, question, common, own);
                      });
  });
}

}  // namespace ws
