// Compares two kernels of any languages: the same inputs must give the same outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/evaluate/binding/binding.h"
#include "runtime/evaluate/subject.h"
#include "runtime/evaluate/validate/validation.h"

namespace ws {

struct PairRequest {
  Subject subject;                   ///< The kernel that is judged,
  Subject against;                   ///< and the one whose outputs are the expected ones.
  Binding binding;                   ///< Complete.
  std::optional<Workload> workload;  ///< One of the subject's problem; nothing: many.
  std::uint64_t seed = 0;            ///< The seed of the inputs.
  std::string batch;                 ///< As ValidationRequest.
};

/// A line of the judged kernel that differs from the other one's, and the rule that it breaks.
struct Explanation {
  std::string_view rule;     ///< "IDX-TILE-BASE": stable (translation/rules.def).
  std::string_view message;  ///< The difference,
  std::string_view fix;      ///< and what to do.
  int line = 0;              ///< In its source; 0: its launch, or not known.
  int other_line = 0;        ///< In the other one's.
  std::string text = {};     ///< Those lines, without blanks at their ends.
  std::string other_text = {};
};

/// A comparison and its request.
struct VerifiedPair {
  PairRequest request;
  ValidationResult result;
  std::vector<Explanation> reasons;  ///< Why it failed, as far as the sources show.
};

/// As a validation at level standard, with the defaults of the parameters and with values that
/// differ from each other.
/// @errors kInvalidArgument: no size fits both; those of validate_kernel.
Result<VerifiedPair> verify_pair(Backend& backend, HostWorkers& hosts, PairRequest request,
                                 const CallContext& context);

}  // namespace ws
