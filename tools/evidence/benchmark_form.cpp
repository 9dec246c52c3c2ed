#include "tools/evidence/benchmark_form.h"

#include "runtime/base/numbers.h"
#include "tools/answer/fault_json.h"
#include "tools/answer/subject_form.h"

namespace ws {
namespace {

Json interval_form(const Interval& interval) {
  return {rounded(interval.low), rounded(interval.high)};
}

Interval interval_of_form(const Json& form) {
  return {form.at(0), form.at(1)};
}

Json optional_form(const std::optional<double>& value) {
  return value ? Json(rounded(*value)) : Json(nullptr);
}

std::optional<double> optional_of_form(const Json& form) {
  return form.is_number() ? std::optional(form.get<double>()) : std::nullopt;
}

Verdict known_verdict(const Json& form) {
  return verdict_of(form.at("verdict").get<std::string>()).value_or(Verdict::kSuspect);
}

/// The library and how close the kernel comes to it. @param rows  Several workloads: their
/// algorithms stand in their own forms.
void add_library(Json& form, const LibraryFacts& library, double ratio, bool rows) {
  form["library"] = {{"name", library.name}, {"version", library.version}};
  if (!rows) {
    form["library"]["algorithm"] = library.algorithm;
  }
  form["percent_of_library"] = rounded(percent_of_library(ratio));
}

std::optional<LibraryFacts> library_of_form(const Json& form) {
  if (!form.contains("library")) {
    return std::nullopt;
  }
  const Json& library = form["library"];
  return LibraryFacts{.name = library.at("name"),
                      .version = library.at("version"),
                      .algorithm = library.value("algorithm", "")};
}

Json workload_form(const WorkloadResult& row) {
  Json form = {{"workload", to_json(row.workload)},
               {"median_us", rounded(row.median_us)},
               {"p5_us", rounded(row.p5_us)},
               {"p95_us", rounded(row.p95_us)},
               {"samples", row.samples},
               {"tflops", optional_form(row.tflops)},
               {"gbps", optional_form(row.gbps)},
               {"roofline_percent", row.limit ? Json(rounded(row.limit->percent)) : Json(nullptr)},
               {"stopped_by", row.stopped_by}};
  if (row.limit) {
    form["roofline_bound"] = row.limit->bound;
  }
  if (row.against) {
    form["baseline_median_us"] = rounded(row.against->median_us);
    form["ratio"] = rounded(row.against->ratio);
    form["ratio_ci"] = interval_form(row.against->ratio_ci);
    form["verdict"] = name_of(row.against->verdict);
  }
  if (row.against && row.library) {
    add_library(form, *row.library, row.against->ratio, false);
  }
  if (row.shrunk_from) {
    form["shrunk_from"] = to_json(*row.shrunk_from);
  }
  return form;
}

WorkloadResult workload_result_of_form(const Json& form) {
  WorkloadResult row;
  row.workload = workload_of_form(form.at("workload"));
  row.median_us = form.at("median_us");
  row.p5_us = form.at("p5_us");
  row.p95_us = form.at("p95_us");
  row.samples = form.at("samples");
  row.tflops = optional_of_form(form.at("tflops"));
  row.gbps = optional_of_form(form.at("gbps"));
  row.stopped_by = form.at("stopped_by");
  if (form.contains("roofline_bound")) {
    row.limit = {.percent = form.at("roofline_percent"), .bound = form["roofline_bound"]};
  }
  if (form.contains("ratio")) {
    row.against = {.median_us = form.at("baseline_median_us"),
                   .ratio = form["ratio"],
                   .ratio_ci = interval_of_form(form.at("ratio_ci")),
                   .verdict = known_verdict(form)};
  }
  row.library = library_of_form(form);
  if (form.contains("shrunk_from")) {
    row.shrunk_from = workload_of_form(form["shrunk_from"]);
  }
  return row;
}

Json clocks_form(const ClockSummary& clocks) {
  Json form = {{"locked", false}};
  if (clocks.sm_mhz > 0) {
    form["sm_mhz"] = rounded(clocks.sm_mhz);
    form["memory_mhz"] = rounded(clocks.memory_mhz);
    form["throttled_share"] = rounded(clocks.throttled_share);
    form["throttle_reasons"] = clocks.throttle_reasons;
    form["processes"] = clocks.processes;
  }
  return form;
}

ClockSummary clocks_of_form(const Json& form) {
  ClockSummary clocks;
  if (form.contains("sm_mhz")) {
    clocks.sm_mhz = form["sm_mhz"];
    clocks.memory_mhz = form.at("memory_mhz");
    clocks.throttled_share = form.at("throttled_share");
    clocks.throttle_reasons = form.at("throttle_reasons").get<std::set<std::string>>();
    clocks.processes = form.at("processes");
  }
  return clocks;
}

void add_benchmark(Json& form, const BenchmarkResult& result) {
  form["verdict"] = name_of(result.verdict);
  form["noise_floor"] = rounded(result.noise_floor);
  form["cache"] = result.hot ? "hot" : "cold";
  form["clocks"] = clocks_form(result.clocks);
  form["emulated"] = result.emulated;
  form["workloads"] = Json::array();
  for (const WorkloadResult& row : result.workloads) {
    form["workloads"].push_back(workload_form(row));
  }
  if (!result.message.empty()) {
    form["message"] = result.message;
  }
  if (result.fault) {
    form["fault"] = to_json(*result.fault);
  }
  if (!result.baseline.empty()) {
    form["baseline"] = result.baseline;
  }
  if (result.ratio) {
    form["ratio"] = rounded(result.ratio->value);
    form["ratio_ci"] = interval_form(result.ratio->ci);
  }
  if (result.ratio && result.library() != nullptr) {
    add_library(form, *result.library(), result.ratio->value, result.workloads.size() > 1);
  }
}

BenchmarkResult benchmark_of_form(const Json& form) {
  BenchmarkResult result;
  result.verdict = known_verdict(form);
  result.message = form.value("message", "");
  if (form.contains("fault")) {
    result.fault = fault_from_json(form["fault"], result.verdict);
  }
  result.emulated = form.at("emulated");
  result.hot = form.at("cache") == "hot";
  result.noise_floor = form.at("noise_floor");
  result.clocks = clocks_of_form(form.at("clocks"));
  for (const Json& row : form.at("workloads")) {
    result.workloads.push_back(workload_result_of_form(row));
  }
  result.baseline = form.value("baseline", "");
  if (form.contains("ratio")) {
    result.ratio = {.value = form["ratio"], .ci = interval_of_form(form.at("ratio_ci"))};
  }
  return result;
}

}  // namespace

void to_json(Json& form, const StoredBenchmark& benchmark) {
  if (benchmark.refusal) {
    form = refusal_form(benchmark.kernel_id, *benchmark.refusal);
    return;
  }
  form = {{"kernel_id", benchmark.kernel_id}};
  add_benchmark(form, benchmark.result);
  if (!benchmark.evidence_id.empty()) {
    form["evidence_id"] = benchmark.evidence_id;
  }
  if (!benchmark.weak_problem.empty()) {
    form["weak_problem"] = benchmark.weak_problem;
  }
}

void from_json(const Json& form, StoredBenchmark& benchmark) {
  benchmark.kernel_id = form.value("kernel_id", "");
  if (known_verdict(form) == Verdict::kInvalid) {
    benchmark.refusal = refusal_of_form(form);
    benchmark.result.verdict = Verdict::kInvalid;
    benchmark.result.emulated = benchmark.refusal->emulated;
    return;
  }
  benchmark.result = benchmark_of_form(form);
  benchmark.evidence_id = form.value("evidence_id", "");
  benchmark.weak_problem = form.value("weak_problem", std::vector<std::string>());
}

}  // namespace ws
