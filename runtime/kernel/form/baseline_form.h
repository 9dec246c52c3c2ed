// The baseline that a problem names for its rewards.
#pragma once

#include <memory>
#include <optional>

#include "runtime/base/result.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/problem.h"

namespace ws {

/// The baseline that rewards of a problem are measured against, whatever a client asks for.
struct NamedBaseline {
  std::shared_ptr<const Kernel> kernel;  ///< Null: the problem's reference.
};

/// Reads the field `baseline` of a problem whose arguments and reference are read already:
/// "reference", or a kernel as it is sent, without a `problem_id`.
/// @errors kInvalidArgument, kUnsupported; kInvalidArgument: a reference that cannot be timed.
Result<NamedBaseline> read_baseline(const JsonReader& form, const Problem& problem);

/// The baseline that the problem names; nothing where it names none. @errors as read_baseline.
Result<std::optional<NamedBaseline>> named_baseline(const Problem& problem);

}  // namespace ws
