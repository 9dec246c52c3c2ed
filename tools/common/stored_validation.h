// A validation as tools give it: from the archive where the same question was answered, else run,
// recorded with its seed, and put into the contract's form.
#pragma once

#include <string>

#include "tools/common/envelope.h"
#include "tools/common/validation.h"

namespace ws {

struct ValidationQuestion {
  std::string level = "quick";     ///< quick | standard
  Json workloads = Json::array();  ///< As sent.
  Json params = Json::object();    ///< As sent.
  std::size_t param_samples = 0;
  std::string repeat;  ///< Evidence whose seed is used again.
};

/// @return  The tool's output without summary and steps: verdict, runs, worst, mismatch, fault,
///          findings, coverage, reference, emulated, evidence_id, age_s, message.
/// @errors  kUnsupported: a level that this version does not have; kNotFound: unknown evidence;
///          those of validate_kernel.
Result<Json> validate_stored(Services& services, Device& device, const Subject& subject,
                             const ValidationQuestion& question, const CommonParams& common,
                             const CallContext& context);

/// What is known of the kernel on the device and those like it, with these parameters: that its
/// results were wrong when it was last asked at `standard` or `quick`, else that it passed; nothing
/// when neither.
Result<std::optional<EvidenceRow>> known_validation(Services& services, Device& device,
                                                    const Subject& subject, const Json& params);

}  // namespace ws
