#include "tools/workflow/results.h"

#include <algorithm>
#include <optional>

#include "runtime/tune/kernel_tuner.h"
#include "runtime/tune/t4_results.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/benchmark_form.h"

namespace ws {
namespace {

/// The largest errors of passed runs on a workload; nothing where none ran.
std::optional<HandoverTiming> errors_on(const Workload& workload, const Params& params,
                                        const ValidationResult& validation) {
  std::optional<HandoverTiming> row;
  for (const RunRecord& run : validation.runs) {
    const bool same = run.workload == workload && (run.params.empty() || run.params == params);
    if (same && run.verdict == Verdict::kPassed) {
      row = row ? row : HandoverTiming{.workload = workload};
      row->max_abs_error = std::max(row->max_abs_error, run.max_abs_error);
      row->max_rel_error = std::max(row->max_rel_error, run.max_rel_error);
    }
  }
  return row;
}

/// A benchmark that was stored; nothing where the record is another form, or the kernel was not
/// timed.
std::optional<StoredBenchmark> benchmark_of(const Json& record) {
  try {
    const StoredBenchmark benchmark = record.at("output").get<StoredBenchmark>();
    return benchmark.refusal ? std::nullopt : std::optional(benchmark);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

/// A kernel as a baseline is no reference.
double reference_us(const BenchmarkResult& benchmark, const WorkloadResult& result) {
  const bool reference = result.against && !benchmark.baseline.starts_with("krn_");
  return reference ? result.against->median_us : 0;
}

}  // namespace

Result<HandoverTimings> timings_of(Services& services, const Subject& subject, const Params& params,
                                   const ValidationResult& validation) {
  HandoverTimings timings;
  WS_TRY(const std::optional<EvidenceRow> row,
         services.archive->latest_evidence(subject.kernel.id, "", "benchmark"));
  const Json record = row ? Json::parse(row->json, nullptr, false) : Json();
  const std::optional<StoredBenchmark> benchmark = benchmark_of(record);
  if (!benchmark) {
    return timings;
  }
  WS_TRY(const Params timed,
         requested_params(subject.kernel, record.value("arguments", Json::object())));
  if (timed != params) {
    return timings;
  }
  const Json device = record.value("device", Json());
  timings.device = device.is_object() ? device.value("name", row->device) : row->device;
  timings.at = record.value("at", row->created_at);
  for (const WorkloadResult& result : benchmark->result.workloads) {
    std::optional<HandoverTiming> timing = errors_on(result.workload, params, validation);
    if (timing && !result.shrunk_from) {
      timing->us = result.median_us;
      timing->baseline_us = reference_us(benchmark->result, result);
      timings.rows.push_back(*std::move(timing));
    }
  }
  return timings;
}

Result<HandoverTuning> tuning_of(Services& services, const Subject& subject) {
  WS_TRY(const auto journal,
         tune::longest_journal(services.options.data_dir, subject.kernel.id, {}));
  if (!journal) {
    return HandoverTuning{};
  }
  return HandoverTuning{.cache = tune::kernel_tuner_cache(*journal, subject.kernel.name),
                        .results = tune::t4_results(*journal)};
}

}  // namespace ws
