// A benchmark's JSON form: what the tools answer, what evidence stores, and what is read back.
#pragma once

#include <optional>
#include <string>

#include "runtime/evaluate/measure/benchmark_result.h"
#include "tools/evidence/passed_first.h"

namespace ws {

/// A benchmark and the evidence that records it, or why the kernel was not timed.
struct StoredBenchmark {
  std::string kernel_id;
  std::optional<Refusal> refusal;  ///< Given: the kernel is wrong, and `result` has no times.
  BenchmarkResult result;
  std::string evidence_id;                ///< Empty for a refusal.
  std::vector<std::string> weak_problem;  ///< As StoredValidation's.
};

/// {verdict, kernel_id, message, fault, noise_floor, cache, clocks, emulated, workloads, baseline,
/// ratio, ratio_ci, library, percent_of_library, evidence_id}, or a refusal's form. Fields that do
/// not apply are left out.
void to_json(Json& form, const StoredBenchmark& benchmark);

/// Reads that form. Throws nlohmann's exception if the form is another one.
void from_json(const Json& form, StoredBenchmark& benchmark);

}  // namespace ws
