// A validation as tools give it: from the archive where the same question was answered, else run,
// and recorded with its seed.
#pragma once

#include <string>

#include "runtime/evaluate/validate/validation.h"
#include "tools/answer/envelope.h"

namespace ws {

struct ValidationQuestion {
  std::string level = "quick";     ///< quick | standard
  Json workloads = Json::array();  ///< As sent.
  Json params = Json::object();    ///< As sent.
  std::size_t param_samples = 0;
  std::string repeat;  ///< Evidence whose seed is used again. The result is no evidence.
};

/// Why a pass on the problem says little. The first call for a problem examines it on the device,
/// so it belongs into a job on the device's lane. @errors Those of Admissions::get.
Result<Weaknesses> weaknesses_of(Services& services, Device& device, const Subject& subject,
                                 const CallContext& context);

/// Reads the evidence of a validation.
StoredValidation validation_of(const EvidenceRow& row);

/// @return  Of a repetition, which is not stored, the evidence is the one that was repeated.
/// @errors  kUnsupported: a level that this version does not have; kNotFound: unknown evidence;
///          those of validate_kernel.
Result<StoredValidation> validate_stored(Services& services, Device& device, const Subject& subject,
                                         const ValidationQuestion& question,
                                         const CommonParams& common, const CallContext& context);

}  // namespace ws
