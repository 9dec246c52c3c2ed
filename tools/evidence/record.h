// One way to record evidence.
#pragma once

#include <string>

#include "runtime/archive/store/archive.h"
#include "runtime/base/verdict.h"
#include "runtime/device/backend.h"
#include "runtime/evaluate/subject.h"
#include "tools/tool.h"

namespace ws {

/// A question that evidence answers.
struct EvidenceQuestion {
  const Subject& subject;
  const DeviceInfo& device;
  std::string kind;  ///< "validate"
  std::string key;   ///< The same question has the same key.
};

/// Appends the answer to the archive.
/// @param record  The stored record. The time is added to it, and text that is not UTF-8 is made
/// valid.
/// @return The id of the evidence. @errors kIo.
Result<std::string> record_evidence(Archive& archive, const EvidenceQuestion& question,
                                    Verdict verdict, Json record);

}  // namespace ws
