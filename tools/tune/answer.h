// A tuning as a client is told it.
#pragma once

#include <cstdint>
#include <string>

#include "tools/answer/typed_job.h"
#include "tools/tune/conclusion.h"

namespace ws {

/// A tuning that has been recorded.
struct StoredTuning {
  TuneConclusion conclusion;
  Json body;                    ///< As of tune_body(), now or when it was recorded.
  double budget_s = 0;          ///< As it was asked for.
  bool reference_timed = true;  ///< As can_time_reference().
  std::string evidence_id;
  std::int64_t age_s = 0;  ///< The age of the evidence.
};

Answer answer_of(const StoredTuning& tuning);

}  // namespace ws
